import { hash } from 'node:crypto';
import { exactJson } from '@petstore/types';
import type { KeyRecord, Outcome, Write, WriteKey } from './commit-plan.ts';
import {
  type Awaitable,
  type Collection,
  type Declaration,
  type KeyedRequest,
  KeyReusedError,
  type Replay,
  type Stats,
  type Store,
  StoredDocument,
  StoreError,
  UnavailableError,
} from './store.ts';
import { WriteQueue } from './write-queue.ts';

/** Where a store keeps its data: in memory, in a folder, or in a database. */
export interface Backend {
  collection(name: string): Pick<Collection, 'get' | 'list'>;
  nextId(collection: string): Awaitable<number>;
  /** The record of an idempotency key. */
  key(id: string): Awaitable<KeyRecord | undefined>;
  stats(): Stats;
  /** Resolves with an outcome for each write when all are saved, or rejects for all of them. */
  commit(writes: readonly Write[]): Promise<Outcome[]>;
  check(): Promise<void>;
  close(): Promise<void>;
}

/** A store whose commit takes longer than this is not ready. */
const STALLED_MS = 1_500;

/** Creates a store. The writes of a moment become one commit of its backend. */
export function createStore(declarations: readonly Declaration[], backend: Backend): Store {
  const queue = new WriteQueue((writes) => backend.commit(writes));
  const keys = new WriteKeys();
  let isClosed = false;
  const checkOpen = () => {
    if (isClosed) throw new UnavailableError('The store is closed.');
  };
  const add = async (write: Write) => {
    checkOpen();
    return queue.add(write);
  };
  const declarationOf = (name: string): Declaration => {
    const declaration = declarations.find((one) => one.name === name);
    if (!declaration) throw new StoreError(`There is no collection '${name}'.`);
    return declaration;
  };

  return {
    collection: (name, request) => {
      const declaration = declarationOf(name);
      const { get, list } = backend.collection(name);
      return { get, list, ...writesOf(declaration, add, () => keys.take(request)) };
    },
    replay: (request) => {
      const record = backend.key(keyOf(request).id);
      if (record instanceof Promise) return record.then((found) => replayOf(found, request));
      return replayOf(record, request);
    },
    nextId: (name) => backend.nextId(declarationOf(name).name),
    restore: (name, documents) => restore(declarationOf(name), documents, add),
    reserve: async (name, nextId) => {
      await add({ kind: 'reserve', declaration: declarationOf(name), nextId, size: WRITE_SIZE });
    },
    check: async () => {
      checkOpen();
      if (queue.commitTime > STALLED_MS)
        throw new UnavailableError('The disk or the database has not responded for a while.');
      await backend.check();
    },
    stats: () => backend.stats(),
    close: async () => {
      isClosed = true;
      await queue.finished();
      await backend.close();
    },
  };
}

type Add = (write: Write) => Promise<StoredDocument | undefined>;

/** The functions of a collection that write. */
function writesOf(
  declaration: Declaration,
  add: Add,
  takeKey: () => WriteKey | undefined,
): Pick<Collection, 'create' | 'replace' | 'remove'> {
  return {
    create: async (document) => {
      const key = takeKey();
      const created = await add({ kind: 'create', key, ...contentOf(declaration, document) });
      if (!created) throw new Error('A create has no result.');
      return created;
    },
    replace: async (id, document) => {
      const key = takeKey();
      return add({ kind: 'replace', id, key, ...contentOf(declaration, document) });
    },
    remove: async (id) =>
      add({ kind: 'remove', id, declaration, size: WRITE_SIZE, key: takeKey() }),
  };
}

async function restore(
  declaration: Declaration,
  documents: ReadonlyMap<number, object>,
  add: Add,
): Promise<number> {
  const restoring = Array.from(documents, ([id, document]) =>
    add({ kind: 'restore', id, ...contentOf(declaration, document) }),
  );
  const results = await Promise.all(restoring);
  return results.filter((result) => result !== undefined).length;
}

/** Gives each request with an idempotency key its one write. */
class WriteKeys {
  readonly #taken = new WeakSet<KeyedRequest>();

  /** Undefined for a request without a key. */
  take(request: KeyedRequest | undefined): WriteKey | undefined {
    if (!request) return undefined;
    if (this.#taken.has(request))
      throw new Error('A handler has made a second write with the same idempotency key.');
    this.#taken.add(request);
    return keyOf(request);
  }
}

/** The bytes of memory that a waiting write takes beside its document. */
const WRITE_SIZE = 512;

/** What is recorded of a request. */
function keyOf({ caller, key, fingerprint, status }: KeyedRequest): WriteKey {
  return { id: hash('sha256', JSON.stringify([caller, key]), 'base64url'), fingerprint, status };
}

function replayOf(record: KeyRecord | undefined, request: KeyedRequest): Replay | undefined {
  if (!record) return undefined;
  if (record.fingerprint !== request.fingerprint) throw new KeyReusedError();
  return { status: record.status, document: new StoredDocument(record.json, true) };
}

function contentOf(declaration: Declaration, document: object) {
  const { id } = declaration;
  const withoutId = id in document ? { ...document, [id]: undefined } : document;
  const body = exactJson(withoutId);
  // The document is about as large as its text.
  return { declaration, document, body, size: 2 * body.length + WRITE_SIZE };
}
