import { Documents } from './collection.ts';
import {
  type Awaitable,
  type Collection,
  type Declaration,
  type RequestKey,
  type Store,
  type Stored,
  StoreError,
  SWEEP_MS,
} from './store.ts';
import { type Change, plan, RequestKeys, restoring, type State, type Write, writers } from './writes.ts';

/** A store that forgets everything when the process ends, for tests. */
export function memoryStore(declarations: readonly Declaration[]): Store {
  const contents = new Contents(declarations);
  const stopForgetting = contents.forgetKeys();
  const write = (write: Write) => {
    const { changes, outcomes } = plan([write], contents);
    for (const change of changes) contents.apply(change);
    if (outcomes[0] instanceof Error) throw outcomes[0];
    return outcomes[0];
  };
  return {
    collection: (name, key) => contents.writable(name, write, key),
    nextId: (name) => contents.nextId(name),
    restore: async (name, documents, nextId) => {
      for (const one of restoring(contents.collection(name).declaration, documents, nextId)) write(one);
    },
    check: async () => {},
    forgottenKeys: () => contents.keys.forgotten,
    close: async () => stopForgetting(),
  };
}

/** All that a store holds in memory. */
export class Contents implements State {
  readonly documents: ReadonlyMap<string, Documents>;
  readonly keys = new RequestKeys();
  readonly #maxSize: number;

  constructor(declarations: readonly Declaration[], maxSize = Number.POSITIVE_INFINITY) {
    this.documents = new Map(declarations.map((declaration) => [declaration.name, new Documents(declaration)]));
    this.#maxSize = maxSize;
  }

  collection(name: string): Documents {
    const documents = this.documents.get(name);
    if (!documents) throw new StoreError(`There is no collection '${name}'.`);
    return documents;
  }

  get(collection: string, id: number): string | undefined {
    return this.collection(collection).get(id);
  }

  nextId(collection: string): number {
    return this.collection(collection).nextId;
  }

  get room(): number {
    let room = this.#maxSize;
    for (const { size } of this.documents.values()) room -= size;
    return room;
  }

  apply({ collection, id, json, document, key }: Change): void {
    this.collection(collection).put(id, json, document);
    if (key) this.keys.add(key);
  }

  /** Forgets expired keys from time to time, until the returned function is called. */
  forgetKeys(): () => void {
    const timer = setInterval(() => this.keys.forget(), SWEEP_MS).unref();
    return () => clearInterval(timer);
  }

  writable(name: string, write: (write: Write) => Awaitable<Stored | undefined>, key?: RequestKey): Collection {
    const documents = this.collection(name);
    return {
      get version() {
        return documents.version;
      },
      get: (id) => {
        const json = documents.get(id);
        return json === undefined ? undefined : { json };
      },
      list: (query) => documents.list(query),
      ...writers(documents.declaration, write, key),
    };
  }
}
