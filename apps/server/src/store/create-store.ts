import { hash } from 'node:crypto';
import { exactJson } from '@petstore/types';
import { BatchQueue } from './batch.ts';
import type { Content, KeyRecord, Outcome, Write, WriteKey } from './commit-plan.ts';
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

/** Where a store keeps its data: in memory, in a folder, or in a database. */
export interface Backend {
  collection(name: string): Readable;
  nextId(collection: string): Awaitable<number>;
  /** The record of an idempotency key. */
  key(id: string): Awaitable<KeyRecord | undefined>;
  stats(): Stats;
  /** Resolves with an outcome for each write when all are saved, or rejects for all of them. */
  commit(writes: readonly Write[]): Promise<Outcome[]>;
  check(): Promise<void>;
  close(): Promise<void>;
}

export type Readable = Pick<Collection, 'get' | 'list'>;

/** A store whose commit takes longer than this is not ready. */
const STALLED_MS = 1_500;
/** The bounds of the commits. Each begins after the one before. */
const COMMITS = { running: 1, items: 1_000 };
/** The bytes of memory that a waiting write takes, without its document. */
const WRITE_SIZE = 512;

/** Creates a store. The writes of a moment become one commit of its backend. */
export function createStore(declarations: readonly Declaration[], backend: Backend): Store {
  const commits = new Commits(backend);
  const usedRequests = new WeakSet<KeyedRequest>();

  const declarationOf = (name: string): Declaration => {
    const declaration = declarations.find((one) => one.name === name);
    if (!declaration) throw new StoreError(`There is no collection '${name}'.`);
    return declaration;
  };
  /** The key of a request, for its one write. */
  const useKey = (request: KeyedRequest | undefined): WriteKey | undefined => {
    if (!request) return undefined;
    if (usedRequests.has(request))
      throw new Error('A handler has made a second write with the same idempotency key.');
    usedRequests.add(request);
    return keyOf(request);
  };

  return {
    collection: (name, request) =>
      collectionOf(declarationOf(name), backend.collection(name), commits, () => useKey(request)),
    replay: (request) => {
      const record = backend.key(keyOf(request).id);
      if (record instanceof Promise) return record.then((found) => toReplay(found, request));
      return toReplay(record, request);
    },
    nextId: (name) => backend.nextId(declarationOf(name).name),
    restore: async (collection, documents) => {
      const declaration = declarationOf(collection);
      const restoring = Array.from(documents, ([id, document]) => {
        const content = prepareContent(declaration, document);
        return commits.add({ kind: 'restore', collection, id, content }, content.body);
      });
      const results = await Promise.all(restoring);
      return results.filter((result) => result !== undefined).length;
    },
    reserve: async (name, nextId) => {
      const collection = declarationOf(name).name;
      await commits.add({ kind: 'reserve', collection, nextId });
    },
    check: () => commits.check(),
    stats: () => backend.stats(),
    close: () => commits.close(),
  };
}

/** The commits of a backend, one after the other, until it is closed. */
class Commits {
  readonly #backend: Backend;
  readonly #queue: BatchQueue<Write, StoredDocument | undefined>;
  /** When the running commit began. */
  #began: number | undefined;
  #isClosed = false;

  constructor(backend: Backend) {
    this.#backend = backend;
    this.#queue = new BatchQueue((writes) => this.#commit(writes), COMMITS);
  }

  /** Resolves when the write is saved. `body` is the JSON of its document. */
  async add(write: Write, body = ''): Promise<StoredDocument | undefined> {
    this.#checkOpen();
    // The parsed document takes about as much memory as its text.
    return this.#queue.add(write, 2 * body.length + WRITE_SIZE);
  }

  async check(): Promise<void> {
    this.#checkOpen();
    if (this.#began !== undefined && performance.now() - this.#began > STALLED_MS)
      throw new UnavailableError('The disk or the database has not responded for a while.');
    await this.#backend.check();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue.finished();
    await this.#backend.close();
  }

  async #commit(writes: readonly Write[]): Promise<Outcome[]> {
    this.#began = performance.now();
    try {
      return await this.#backend.commit(writes);
    } finally {
      this.#began = undefined;
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new UnavailableError('The store is closed.');
  }
}

function collectionOf(
  declaration: Declaration,
  documents: Readable,
  commits: Commits,
  useKey: () => WriteKey | undefined,
): Collection {
  const collection = declaration.name;
  return {
    get: (id) => documents.get(id),
    list: (query) => documents.list(query),
    create: async (document) => {
      const key = useKey();
      const content = prepareContent(declaration, document);
      const created = await commits.add({ kind: 'create', collection, key, content }, content.body);
      return created as StoredDocument;
    },
    replace: async (id, document) => {
      const key = useKey();
      const content = prepareContent(declaration, document);
      return commits.add({ kind: 'replace', collection, id, key, content }, content.body);
    },
    remove: async (id) => {
      const key = useKey();
      return commits.add({ kind: 'remove', collection, id, key });
    },
  };
}

/** What a write records of its request. */
function keyOf({ caller, key, fingerprint, status }: KeyedRequest): WriteKey {
  return { id: hash('sha256', JSON.stringify([caller, key]), 'base64url'), fingerprint, status };
}

function toReplay(record: KeyRecord | undefined, request: KeyedRequest): Replay | undefined {
  if (!record) return undefined;
  if (record.fingerprint !== request.fingerprint) throw new KeyReusedError();
  return { status: record.status, document: new StoredDocument(record.json, true) };
}

function prepareContent(declaration: Declaration, document: object): Content {
  const { id } = declaration;
  const withoutId = id in document ? { ...document, [id]: undefined } : document;
  return { declaration, document, body: exactJson(withoutId) };
}
