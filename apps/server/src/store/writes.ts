import { sizeOf } from './collection.ts';
import { type Declaration, KeyReusedError, type Stored, StoreError, UnavailableError } from './store.ts';

/** A write that waits for its commit. */
export interface Write {
  /** `restore` adds a document under its identifier; `reserve` lets the next identifier be greater than `id`. */
  readonly kind: 'create' | 'replace' | 'remove' | 'restore' | 'reserve';
  readonly declaration: Declaration;
  /** 0 for a create. */
  readonly id: number;
  readonly document: object | undefined;
  /** The document as JSON without its identifier; empty where there is none. */
  readonly body: string;
  readonly key: { readonly id: string; readonly fingerprint: string } | undefined;
}

/** A change of the stored data. To repeat it changes nothing. */
export interface Change {
  /** Null for an idempotency key without a change. */
  readonly collection: string | null;
  readonly id: number;
  /** Null removes the document, and also lets the next identifier be greater than `id`. */
  readonly json: string | null;
  /** The parsed JSON, if it is known. */
  readonly document?: object | undefined;
  readonly key?: KeyRecord | undefined;
}

/** The first result of a write with an idempotency key. */
export interface KeyRecord {
  /** A hash of the caller, the key, and which write of the request it is. */
  readonly id: string;
  readonly fingerprint: string;
  /** When it was made, in milliseconds. */
  readonly made: number;
  /** The document that the write returned. */
  readonly json: string;
}

/** The result of a write. An error rejects this write alone. */
export type Outcome = Stored | undefined | Error;

/** What a commit has to know of the stored data. */
export interface State {
  collection(name: string): { readonly nextId: number; get(id: number): Stored | undefined };
  readonly keys: { get(id: string): KeyRecord | undefined };
  /** How much documents may grow. */
  readonly room: number;
}

/** What writes change, one after the other, and the next identifiers after them. Nothing is changed yet. */
export function plan(writes: readonly Write[], state: State) {
  const changes: Change[] = [];
  // What the writes before have changed.
  const documents = new Map<string, string | undefined>();
  const keys = new Map<string, KeyRecord>();
  const nextIds = new Map<string, number>();
  let { room } = state;

  const outcomeOf = ({ kind, declaration, document, body, key, ...write }: Write): Outcome => {
    const first = key && (keys.get(key.id) ?? state.keys.get(key.id));
    if (first && first.fingerprint !== key.fingerprint)
      return new KeyReusedError('The idempotency key was already used for another request.');
    if (first) return { json: first.json, isReplayed: true };

    const collection = declaration.name;
    const nextId = nextIds.get(collection) ?? state.collection(collection).nextId;
    const id = kind === 'create' ? nextId : write.id;
    if (kind === 'create' && id >= Number.MAX_SAFE_INTEGER) return new UnavailableError('No identifier is left.');
    const place = `${collection} ${id}`;
    const stored = () => (documents.has(place) ? documents.get(place) : state.collection(collection).get(id)?.json);
    const before = kind === 'create' || kind === 'reserve' ? undefined : stored();
    const json = document && withId(declaration.id, id, body);
    if (kind === 'reserve' && id < nextId) return undefined;
    if (kind === 'restore' && before === json) return undefined;
    if (kind === 'restore' && before !== undefined)
      return new StoreError(
        `The document ${id} of ${collection} differs from the stored one, which an import never replaces; import into an empty store.`,
      );
    if ((kind === 'replace' || kind === 'remove') && before === undefined) return undefined;
    const growth = sizeOf(json) - sizeOf(before);
    if (growth > 0 && growth > room)
      return new UnavailableError('The store is full: remove documents, or move to PostgreSQL.');

    room -= growth;
    documents.set(place, json);
    nextIds.set(collection, Math.max(nextId, id + 1));
    const result = json ?? before ?? '';
    const record = key && { ...key, made: Date.now(), json: result };
    if (record) keys.set(record.id, record);
    if (json !== undefined) changes.push({ collection, id, json, document, key: record });
    else changes.push({ collection, id, json: null });
    if (json === undefined && record) changes.push({ collection: null, id, json: result, key: record });
    return { json: result };
  };
  return { outcomes: writes.map(outcomeOf), changes, nextIds };
}

/** The JSON of a document with its identifier first. */
function withId(property: string, id: number, body: string): string {
  return `{"${property}":${id}${body === '{}' ? '' : ','}${body.slice(1)}`;
}
