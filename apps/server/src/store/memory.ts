import { MemoryCollection } from './collection.ts';
import { type Change, CommitPlan, type KeyRecord, type State } from './commit-plan.ts';
import type { Backend } from './create-store.ts';
import { RequestKeys } from './request-keys.ts';
import { type Declaration, type Stats, StoreError } from './store.ts';

export interface MemoryOptions {
  /** About how much memory documents may need. Default: without a bound. */
  readonly size?: number | undefined;
  /** The milliseconds since 1970, for the age of idempotency keys. */
  readonly clock?: (() => number) | undefined;
}

/** All that a store holds in memory. */
export class Memory implements State {
  readonly collections: ReadonlyMap<string, MemoryCollection>;
  readonly keys: RequestKeys;
  readonly now: () => number;
  readonly #maxSize: number;

  constructor(declarations: readonly Declaration[], options: MemoryOptions = {}) {
    const { size = Number.POSITIVE_INFINITY, clock = () => Date.now() } = options;
    const collections = declarations.map((one) => [one.name, new MemoryCollection(one)] as const);
    this.collections = new Map(collections);
    this.keys = new RequestKeys(clock);
    this.now = clock;
    this.#maxSize = size;
  }

  collection(name: string): MemoryCollection {
    const collection = this.collections.get(name);
    if (!collection) throw new StoreError(`There is no collection '${name}'.`);
    return collection;
  }

  nextId(collection: string): number {
    return this.collection(collection).nextId;
  }

  get(collection: string, id: number): string | undefined {
    return this.collection(collection).text(id);
  }

  key(id: string): KeyRecord | undefined {
    return this.keys.get(id);
  }

  get room(): number {
    let room = this.#maxSize;
    for (const { size } of this.collections.values()) room -= size;
    return room;
  }

  stats(): Stats {
    const documents: Record<string, number> = {};
    for (const [name, { count }] of this.collections) documents[name] = count;
    const stats = { documents, forgottenKeys: this.keys.forgotten };
    return this.#maxSize === Number.POSITIVE_INFINITY ? stats : { ...stats, roomBytes: this.room };
  }

  apply(change: Change): void {
    if (change.kind === 'key') {
      this.keys.add({ ...change.key, collection: change.collection });
    } else if (change.kind === 'remove') {
      this.collection(change.collection).remove(change.id);
    } else {
      this.collection(change.collection).put(change.id, change.json, change.document);
      if (change.key) this.keys.add({ ...change.key, collection: change.collection });
    }
  }
}

/** Where changes are saved before they are applied to the memory. */
export interface ChangeLog {
  readonly bytes: number;
  save(changes: readonly Change[]): Promise<void>;
  check(): void;
  close(): Promise<void>;
}

/** The backend of a store that serves all documents from memory. Without a log it forgets everything at the end. */
export function memoryBackend(memory: Memory, log?: ChangeLog): Backend {
  return {
    collection: (name) => memory.collection(name),
    nextId: (name) => memory.nextId(name),
    key: (id) => memory.key(id),
    stats: () => (log ? { ...memory.stats(), journalBytes: log.bytes } : memory.stats()),
    commit: async (writes) => {
      const { changes, outcomes } = new CommitPlan(writes, memory);
      if (changes.length > 0) await log?.save(changes);
      for (const change of changes) memory.apply(change);
      return outcomes;
    },
    check: async () => log?.check(),
    close: async () => log?.close(),
  };
}
