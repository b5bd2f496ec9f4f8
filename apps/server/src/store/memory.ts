import { randomUUID } from 'node:crypto';
import { allCollections } from '../collections.ts';
import { MAX_PAGE_BYTES } from '../limits.ts';
import {
  type CollectionDeclaration,
  collectionNamed,
  encodeBody,
  indexedValue,
  MAX_ID,
  obstacleTo,
  storedDocument,
  withId,
} from './document.ts';
import { IdempotencyMismatchError, NoIdLeftError, StoreUnavailableError } from './errors.ts';
import { IdempotencyKeys } from './idempotency.ts';
import {
  type Collection,
  type Document,
  type Idempotency,
  MAX_IDEMPOTENCY_KEYS,
  type NotWritten,
  type Properties,
  type Removed,
  type Store,
} from './store.ts';

interface MemoryOptions {
  maxIdempotencyKeys?: number;
  now?: () => number;
}

/** The state that all collections share. */
interface Shared {
  readonly table: IdempotencyKeys;
  /** The writes with a key. Each is a group of its own in `table`. */
  readonly writes: Map<number, { readonly fingerprint: string; readonly result: Document | Removed }>;
  /** The number of the last group. The first is 1. */
  count: number;
  isClosed: boolean;
}

/** A store in memory, for tests and experiments. The tests compare the other stores with it. */
export function memoryStore(
  collections: readonly CollectionDeclaration[] = allCollections,
  { maxIdempotencyKeys = MAX_IDEMPOTENCY_KEYS, now = Date.now }: MemoryOptions = {},
): Store {
  const table = new IdempotencyKeys(maxIdempotencyKeys, now);
  const shared: Shared = { table, writes: new Map(), count: 0, isClosed: false };
  const byName = new Map(collections.map((declaration) => [declaration.name, memoryCollection(declaration, shared)]));
  return {
    collection: (name) => collectionNamed(byName, name),
    ready: async () => !shared.isClosed,
    hasFailed: () => false,
    idempotency: () => table.state,
    close: async () => {
      shared.isClosed = true;
    },
  };
}

function memoryCollection({ id: idProperty, indexes }: CollectionDeclaration, shared: Shared): Collection {
  /** The documents by identifier, in ascending order, because new identifiers are always higher. */
  const documents = new Map<number, { properties: Properties; document: Document }>();
  let lastId = 0;
  let sequence = 0;
  const runId = randomUUID().slice(0, 8);
  const version = () => `${runId}-${sequence}`;

  const put = (id: number, properties: Properties): Document => {
    if (id > MAX_ID) throw new NoIdLeftError();
    const text = withId(idProperty, id, encodeBody(idProperty, properties));
    sequence++;
    const document = storedDocument(id, version(), text, 'utf8');
    lastId = Math.max(lastId, id);
    documents.set(id, { properties, document });
    return document;
  };
  const obstacle = (id: number, ifVersion: string | undefined) =>
    obstacleTo(documents.get(id)?.document.version, ifVersion);
  const remove = (id: number): Removed => {
    sequence++;
    documents.delete(id);
    return { outcome: 'removed' };
  };
  const expectOpen = () => {
    if (shared.isClosed) throw new StoreUnavailableError('The store is closed.');
  };
  /** Does a write, or returns its first result if the write was done before. */
  const once = <R extends Document | Removed | NotWritten>(idempotency: Idempotency | undefined, write: () => R): R => {
    expectOpen();
    if (!idempotency) return write();
    const { table, writes } = shared;
    const { key, fingerprint } = idempotency;
    const known = writes.get(table.get(key) ?? 0);
    if (known && known.fingerprint !== fingerprint) throw new IdempotencyMismatchError();
    // The same kind of write has the same kind of result.
    if (known) return { ...known.result, isReplayed: true } as R;
    const result = write();
    if (result.outcome === 'stored' || result.outcome === 'removed') {
      table.set(key, ++shared.count);
      writes.set(shared.count, { fingerprint, result });
    }
    // A write adds one key and removes up to two, so the number of keys shrinks to its bound.
    for (const swept of table.sweep(2)) writes.delete(swept);
    return result;
  };

  return {
    create: async (properties, { idempotency } = {}) => once(idempotency, () => put(lastId + 1, properties)),
    replace: async (id, properties, { ifVersion, idempotency } = {}) =>
      once<Document | NotWritten>(idempotency, () => obstacle(id, ifVersion) ?? put(id, properties)),
    remove: async (id, { ifVersion, idempotency } = {}) =>
      once<Removed | NotWritten>(idempotency, () => obstacle(id, ifVersion) ?? remove(id)),
    restore: async (restored) => {
      expectOpen();
      if (restored[0] && Number(restored[0][idProperty]) <= lastId) return false;
      for (const properties of restored) put(Number(properties[idProperty]), properties);
      return true;
    },
    get: (id) => documents.get(id)?.document,
    list: ({ after, filter, limit, maxBytes = MAX_PAGE_BYTES }) => {
      if (filter && !indexes.includes(filter.property)) throw new Error(`There is no index on '${filter.property}'.`);
      const texts: string[] = [];
      const page = { last: 0, more: false };
      let bytes = 1;
      for (const [id, { properties, document }] of documents) {
        if (id <= after || (filter && indexedValue(properties, filter.property) !== filter.value)) continue;
        bytes += Buffer.byteLength(document.json.text) + 1;
        texts.push(document.json.text);
        page.last = id;
        page.more = texts.length >= limit || bytes >= maxBytes;
        if (page.more) break;
      }
      return { ...page, count: texts.length, json: { text: `[${texts.join(',\n')}]`, encoding: 'utf8' } };
    },
    version,
  };
}
