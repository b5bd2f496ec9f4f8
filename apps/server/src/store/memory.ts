import { Documents } from './collection.ts';
import { RequestKeys } from './request-keys.ts';
import { type Collection, type Declaration, type RequestKey, type Store, type Stored, StoreError } from './store.ts';
import {
  type Access,
  type Change,
  collectionOf,
  type Outcome,
  plan,
  restoring,
  type State,
  type Write,
} from './writes.ts';

/** A store that forgets everything when the process ends, for tests. */
export function memoryStore(declarations: readonly Declaration[]): Store {
  const contents = new Contents(declarations);
  const write = (write: Write) => {
    const { changes, outcomes } = plan([write], contents);
    for (const change of changes) contents.apply(change);
    return resultOf(outcomes[0]);
  };
  return {
    collection: (name, key) => contents.collection(name, write, key),
    nextId: (name) => contents.nextId(name),
    restore: async (name, documents, nextId) => {
      for (const one of restoring(contents.of(name).declaration, documents, nextId)) write(one);
    },
    check: async () => {},
    forgottenKeys: () => contents.keys.forgotten,
    close: async () => {},
  };
}

export function resultOf(outcome: Outcome): Stored | undefined {
  if (outcome instanceof Error) throw outcome;
  return outcome;
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

  of(collection: string): Documents {
    const documents = this.documents.get(collection);
    if (!documents) throw new StoreError(`There is no collection '${collection}'.`);
    return documents;
  }

  get(collection: string, id: number): string | undefined {
    return this.of(collection).get(id);
  }

  key(id: string) {
    return this.keys.get(id);
  }

  nextId(collection: string): number {
    return this.of(collection).nextId;
  }

  get room(): number {
    let room = this.#maxSize;
    for (const { size } of this.documents.values()) room -= size;
    return room;
  }

  apply({ collection, id, json, key }: Change): void {
    this.of(collection).put(id, json);
    if (key) this.keys.add(key);
  }

  collection(name: string, write: Access['write'], key?: RequestKey): Collection {
    const documents = this.of(name);
    const access: Access = {
      get version() {
        return documents.version;
      },
      get: (id) => documents.get(id),
      list: (query) => documents.list(query),
      write,
    };
    return collectionOf(documents.declaration, access, key);
  }
}
