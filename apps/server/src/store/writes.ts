import { hash } from 'node:crypto';
import { exactJson } from '@petstore/types';
import { sizeOf } from './collection.ts';
import {
  type Awaitable,
  type Collection,
  type Declaration,
  KEYS,
  KeyReusedError,
  type RequestKey,
  type Stored,
  StoreError,
  UnavailableError,
} from './store.ts';

/** A write that waits for its commit. A restore without a document raises the next identifier. */
export interface Write {
  readonly kind: 'create' | 'replace' | 'remove' | 'restore';
  readonly declaration: Declaration;
  /** 0 for a create. */
  readonly id: number;
  readonly document: object | undefined;
  /** The document as JSON without its identifier; empty where there is none. */
  readonly body: string;
  readonly key: { readonly id: string; readonly fingerprint: string } | undefined;
}

/** A change of the stored data. To repeat it changes nothing. A removal (null) also raises the next identifier. */
export interface Change {
  readonly collection: string;
  readonly id: number;
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

/** The functions of a collection that write. */
export function writers(
  declaration: Declaration,
  write: (write: Write) => Awaitable<Stored | undefined>,
  key?: RequestKey,
): Pick<Collection, 'create' | 'replace' | 'remove'> {
  const send = (kind: Write['kind'], id: number, document?: object) =>
    write({ kind, declaration, id, document, body: bodyOf(document, declaration.id), key: key && nextKey(key) });
  return {
    // A create always returns its document.
    create: (document) => send('create', 0, document) as Awaitable<Stored>,
    replace: (id, document) => send('replace', id, document),
    remove: (id) => send('remove', id),
  };
}

/** The writes that restore documents under their identifiers. */
export function restoring(declaration: Declaration, documents: ReadonlyMap<number, object>, nextId: number): Write[] {
  const restore = (id: number, document?: object): Write => {
    return { kind: 'restore', declaration, id, document, body: bodyOf(document, declaration.id), key: undefined };
  };
  return [...Array.from(documents, ([id, document]) => restore(id, document)), restore(nextId - 1)];
}

/** What a commit has to know of the stored data. */
export interface State {
  get(collection: string, id: number): string | undefined;
  readonly keys: { get(id: string): KeyRecord | undefined };
  nextId(collection: string): number;
  /** How much documents may grow. */
  readonly room: number;
}

/** What writes change, one after the other, and the next identifiers after them. Nothing is changed yet. */
export function plan(writes: readonly Write[], state: State) {
  const changes: Change[] = [];
  // What the writes before have changed.
  const documents = new Map<string, string | null>();
  const keys = new Map<string, KeyRecord>();
  const nextIds = new Map<string, number>();
  let { room } = state;

  const outcomeOf = ({ kind, declaration, document, body, key, ...write }: Write): Outcome => {
    const made = key && (keys.get(key.id) ?? state.keys.get(key.id));
    if (made && made.fingerprint !== key.fingerprint)
      return new KeyReusedError('The idempotency key was already used for another request.');
    if (made) return { json: made.json, isReplayed: true };

    const collection = declaration.name;
    const nextId = nextIds.get(collection) ?? state.nextId(collection);
    const id = kind === 'create' ? nextId : write.id;
    if (kind === 'create' && id >= Number.MAX_SAFE_INTEGER) return new UnavailableError('No identifier is left.');
    const place = `${collection} ${id}`;
    const isNew = kind === 'create' || documents.get(place) === null;
    const before = isNew ? null : (documents.get(place) ?? state.get(collection, id) ?? null);
    const json = document ? withId(declaration.id, id, body) : null;
    if (kind === 'restore' && (json === null ? id < nextId : before === json)) return undefined;
    if (kind === 'restore' && before !== null)
      return new StoreError(
        `The document ${id} of ${collection} differs from the stored one, which an import never replaces; import into an empty store.`,
      );
    if ((kind === 'replace' || kind === 'remove') && before === null) return undefined;
    const growth = sizeOf(json) - sizeOf(before);
    if (growth > 0 && growth > room)
      return new UnavailableError('The store is full: remove documents, or move to PostgreSQL.');

    room -= growth;
    const result = json ?? before ?? '';
    const record = key && { id: key.id, fingerprint: key.fingerprint, made: Date.now(), json: result };
    if (record) keys.set(record.id, record);
    documents.set(place, json);
    nextIds.set(collection, Math.max(nextId, id + 1));
    changes.push({ collection, id, json, document, key: record });
    return { json: result };
  };
  return { outcomes: writes.map(outcomeOf), changes, nextIds };
}

/** The idempotency keys of the last 24 hours in memory. Beyond a number and a size the oldest are forgotten. */
export class RequestKeys {
  readonly #records = new Map<string, KeyRecord>();
  #size = 0;
  /** How many keys were forgotten before their time. */
  forgotten = 0;

  get(id: string): KeyRecord | undefined {
    const record = this.#records.get(id);
    return record && !isExpired(record) ? record : undefined;
  }

  add(record: KeyRecord): void {
    this.#delete(this.#records.get(record.id));
    this.#records.set(record.id, record);
    this.#size += record.json.length;
    this.forget();
  }

  /** Forgets keys that are expired or too many. */
  forget(): void {
    for (const oldest of this.#records.values()) {
      if (!isExpired(oldest)) {
        if (this.#records.size <= KEYS.count && this.#size <= KEYS.size) return;
        this.forgotten++;
      }
      this.#delete(oldest);
    }
  }

  /** All records, oldest first. Records that are added meanwhile follow. */
  values(): Iterable<KeyRecord> {
    return this.#records.values();
  }

  #delete(record: KeyRecord | undefined): void {
    if (record && this.#records.delete(record.id)) this.#size -= record.json.length;
  }
}

function isExpired({ made }: KeyRecord): boolean {
  return Date.now() - made >= KEYS.milliseconds;
}

function nextKey(request: RequestKey): Write['key'] {
  const { caller, key, fingerprint, writes = 0 } = request;
  request.writes = writes + 1;
  return { id: hash('sha256', JSON.stringify([caller, key, writes]), 'base64url'), fingerprint };
}

function bodyOf(document: object | undefined, property: string): string {
  if (!document) return '';
  return exactJson(property in document ? { ...document, [property]: undefined } : document);
}

/** The JSON of a document with its identifier first. */
function withId(property: string, id: number, body: string): string {
  return `{${JSON.stringify(property)}:${id}${body === '{}' ? '' : ','}${body.slice(1)}`;
}
