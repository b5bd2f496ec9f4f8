import { hash } from 'node:crypto';
import { exactJson } from '@petstore/types';
import {
  type Awaitable,
  type Declaration,
  type Reader,
  type RequestKey,
  type Store,
  type Stored,
  StoreError,
  UnavailableError,
} from './store.ts';
import type { Outcome, Write } from './writes.ts';

/** Where a store keeps its data: in memory, in a folder, or in a database. */
export interface Backend {
  reader(declaration: Declaration): Reader;
  nextId(collection: string): Awaitable<number>;
  /** Resolves with an outcome for each write when all are saved, or rejects if nothing is known to be saved. */
  commit(writes: Write[]): Promise<Outcome[]>;
  check?(): Promise<void>;
  forgottenKeys(): number;
  close(): Promise<void>;
}

/** Creates a store. The writes of a moment become one commit of its backend. */
export function createStore(declarations: readonly Declaration[], backend: Backend): Store {
  const batch = new Batch((writes) => backend.commit(writes));
  const declared = (name: string): Declaration => {
    const declaration = declarations.find((one) => one.name === name);
    if (!declaration) throw new StoreError(`There is no collection '${name}'.`);
    return declaration;
  };
  /** The function that writes to a collection. */
  const writing = (declaration: Declaration, requestKey?: RequestKey) => {
    return (kind: Write['kind'], id: number, document?: object) => {
      const key = requestKey && nextKey(requestKey);
      return batch.add({ kind, declaration, id, document, body: bodyOf(document, declaration.id), key });
    };
  };
  return {
    collection: (name, requestKey) => {
      const declaration = declared(name);
      const reader = backend.reader(declaration);
      const write = writing(declaration, requestKey);
      return {
        get version() {
          return reader.version;
        },
        get: (id) => reader.get(id),
        list: (query) => reader.list(query),
        // A create always returns its document.
        create: (document) => write('create', 0, document) as Promise<Stored>,
        replace: (id, document) => write('replace', id, document),
        remove: (id) => write('remove', id),
      };
    },
    nextId: (name) => backend.nextId(declared(name).name),
    restore: async (name, documents, nextId) => {
      const write = writing(declared(name));
      const restored = Array.from(documents, ([id, document]) => write('restore', id, document));
      await Promise.all([...restored, write('reserve', nextId - 1)]);
    },
    check: async () => {
      if (batch.isClosed) throw new UnavailableError('The store is closed.');
      await backend.check?.();
    },
    forgottenKeys: () => backend.forgottenKeys(),
    close: async () => {
      await batch.close();
      await backend.close();
    },
  };
}

/** The bounds of all waiting writes, and of one commit. */
const WAITING = { writes: 20_000, size: 2 ** 26 };
const COMMIT = { writes: 1_000, size: 2 ** 22 };

type Waiting = PromiseWithResolvers<Stored | undefined> & { readonly write: Write };

/** Collects the writes that wait while a commit is under way: they become the next commit. */
class Batch {
  readonly #commit: Backend['commit'];
  #waiting: Waiting[] = [];
  #size = 0;
  #running: Promise<void> | undefined;
  isClosed = false;

  constructor(commit: Backend['commit']) {
    this.#commit = commit;
  }

  async add(write: Write): Promise<Stored | undefined> {
    if (this.isClosed) throw new UnavailableError('The store is closed.');
    if (this.#waiting.length >= WAITING.writes || this.#size > WAITING.size)
      throw new UnavailableError('Too many writes are waiting.');
    const waiting = { write, ...Promise.withResolvers<Stored | undefined>() };
    this.#waiting.push(waiting);
    this.#size += write.body.length;
    this.#running ??= this.#run();
    return waiting.promise;
  }

  /** Rejects further writes, and resolves when all waiting ones are done. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    // Writes of the same moment belong to the same commit.
    await null;
    while (this.#waiting.length > 0) {
      const group = this.#take();
      const outcomes = await this.#commit(group.map(({ write }) => write)).catch((error) => group.map(() => error));
      for (const [i, { resolve, reject }] of group.entries()) {
        const outcome: Outcome = outcomes[i];
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      }
    }
    this.#running = undefined;
  }

  #take(): Waiting[] {
    let [count, size] = [0, 0];
    for (const { write } of this.#waiting) {
      if (count === COMMIT.writes || (count > 0 && size + write.body.length > COMMIT.size)) break;
      count++;
      size += write.body.length;
    }
    this.#size -= size;
    return this.#waiting.splice(0, count);
  }
}

/** The stored key of the next write of a request. */
function nextKey(request: RequestKey): Write['key'] {
  const { caller, key, fingerprint, writes = 0 } = request;
  request.writes = writes + 1;
  return { id: hash('sha256', JSON.stringify([caller, key, writes]), 'base64url'), fingerprint };
}

function bodyOf(document: object | undefined, property: string): string {
  if (!document) return '';
  return exactJson(property in document ? { ...document, [property]: undefined } : document);
}
