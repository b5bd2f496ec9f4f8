import { exactJson } from '@petstore/types';
import { sizeOf } from './collection.ts';
import { type KeyRecord, keyId } from './request-keys.ts';
import {
  type Awaitable,
  type Collection,
  type Declaration,
  KeyReusedError,
  type Page,
  type Query,
  type RequestKey,
  type Stored,
  StoreError,
  UnavailableError,
} from './store.ts';

/** A write that waits for its commit. */
export interface Write {
  readonly kind: 'create' | 'replace' | 'remove' | 'restore' | 'raise next identifier';
  readonly collection: string;
  /** The property of the identifier. */
  readonly property: string;
  /** 0 for a create. */
  readonly id: number;
  /** The document as JSON without its identifier; empty where there is none. */
  readonly body: string;
  readonly key?: Pick<KeyRecord, 'id' | 'fingerprint'>;
}

/** A change of the stored data. To repeat it changes nothing. A removal (null) also raises the next identifier. */
export interface Change {
  readonly collection: string;
  readonly id: number;
  readonly json: string | null;
  readonly key?: KeyRecord;
}

/** The result of a write. An error rejects this write alone. */
export type Outcome = Stored | undefined | Error;

/** What a commit has to know of the stored data. */
export interface State {
  get(collection: string, id: number): string | undefined;
  key(id: string): KeyRecord | undefined;
  nextId(collection: string): number;
  /** How much documents may grow. */
  readonly room: number;
}

/** What writes change, one after the other. Nothing is changed yet. */
export function plan(writes: readonly Write[], state: State): { changes: Change[]; outcomes: Outcome[] } {
  const changes: Change[] = [];
  const documents = new Map<string, string | null>();
  const keys = new Map<string, KeyRecord>();
  const nextIds = new Map<string, number>();
  let { room } = state;

  const outcomeOf = (write: Write): Outcome => {
    const { kind, collection, property, key } = write;
    const made = key && (keys.get(key.id) ?? state.key(key.id));
    if (made && made.fingerprint !== key.fingerprint)
      return new KeyReusedError('The idempotency key was already used for another request.');
    if (made) return { json: made.json, isReplayed: true };

    const nextId = nextIds.get(collection) ?? state.nextId(collection);
    const id = kind === 'create' ? nextId : write.id;
    const place = `${collection} ${id}`;
    const before = documents.has(place) ? documents.get(place) : state.get(collection, id);
    const json = write.body === '' ? null : withId(property, id, write.body);
    if (kind === 'restore' && json !== null && before === json) return { json };
    if (kind === 'restore' && before != null)
      return new StoreError(
        `The document ${id} of ${collection} differs from the stored one, which an import never replaces; import into an empty store.`,
      );
    // A removed identifier raises the next one, so this removes one that no document has.
    if (kind === 'raise next identifier' && id < nextId) return undefined;
    if ((kind === 'replace' || kind === 'remove') && before == null) return undefined;
    if (kind === 'create' && id >= Number.MAX_SAFE_INTEGER) return new UnavailableError('No identifier is left.');
    const growth = sizeOf(json) - sizeOf(before);
    if (growth > 0 && growth > room)
      return new UnavailableError('The store is full: remove documents, or move to PostgreSQL.');

    room -= growth;
    const result = json ?? before ?? '';
    const record = key && { ...key, made: Date.now(), json: result };
    if (record) keys.set(record.id, record);
    documents.set(place, json);
    nextIds.set(collection, Math.max(nextId, id + 1));
    changes.push({ collection, id, json, ...(record && { key: record }) });
    return { json: result };
  };
  return { outcomes: writes.map(outcomeOf), changes };
}

/** What a collection is made of: how to read, and how to write. */
export interface Access {
  readonly version?: number | undefined;
  get(id: number): Awaitable<string | undefined>;
  list(query: Query): Awaitable<Page>;
  write(write: Write): Awaitable<Stored | undefined>;
}

/** How many writes each request with an idempotency key has made. */
const writeCounts = new WeakMap<RequestKey, number>();

export function collectionOf({ name, id: property }: Declaration, access: Access, key?: RequestKey): Collection {
  const nextKey = (key: RequestKey) => {
    const count = writeCounts.get(key) ?? 0;
    writeCounts.set(key, count + 1);
    return { id: keyId(key, count), fingerprint: key.fingerprint };
  };
  const write = (kind: Write['kind'], id: number, document?: object) => {
    const body = document ? bodyOf(document, property) : '';
    const bound = key && { key: nextKey(key) };
    return access.write({ kind, collection: name, property, id, body, ...bound });
  };
  return {
    get version() {
      return access.version;
    },
    // A create always returns its document.
    create: (document) => write('create', 0, document) as Awaitable<Stored>,
    replace: (id, document) => write('replace', id, document),
    remove: (id) => write('remove', id),
    get: (id) => {
      const json = access.get(id);
      return json instanceof Promise ? json.then(storedOf) : storedOf(json);
    },
    list: (query) => access.list(query),
  };
}

/** The writes that restore documents under their identifiers. */
export function restoring(
  { name: collection, id: property }: Declaration,
  documents: ReadonlyMap<number, object>,
  nextId: number,
): Write[] {
  const writes = Array.from(documents, ([id, document]): Write => {
    return { kind: 'restore', collection, property, id, body: bodyOf(document, property) };
  });
  return [...writes, { kind: 'raise next identifier', collection, property, id: nextId - 1, body: '' }];
}

function storedOf(json: string | undefined): Stored | undefined {
  return json === undefined ? undefined : { json };
}

function bodyOf(document: object, property: string): string {
  return exactJson(property in document ? { ...document, [property]: undefined } : document);
}

/** The JSON of a document with its identifier first. */
function withId(property: string, id: number, body: string): string {
  return `{${JSON.stringify(property)}:${id}${body === '{}' ? '' : ','}${body.slice(1)}`;
}
