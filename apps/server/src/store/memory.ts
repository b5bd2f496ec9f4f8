import { MemoryCollection } from './collection.ts';
import { type Change, CommitPlan, type KeyRecord, type State } from './commit-plan.ts';
import { type Backend, createStore } from './create-store.ts';
import { type Declaration, KEYS, type Stats, type Store, StoreError } from './store.ts';

export interface MemoryOptions {
  /** About how much memory documents may need. Default: without a bound. */
  readonly size?: number | undefined;
  /** The milliseconds since 1970, for the age of idempotency keys. */
  readonly clock?: (() => number) | undefined;
}

/** A store that forgets everything at the end. */
export function createMemoryStore(
  declarations: readonly Declaration[],
  options?: MemoryOptions,
): Store {
  return createStore(declarations, memoryBackend(new Memory(declarations, options)));
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

/**
 * The backend of a store that serves all documents from memory. Without a log it forgets everything
 * at the end.
 */
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

interface MemoryKey extends KeyRecord {
  /** The collection of the document. */
  readonly collection: string;
}

/**
 * The records of the idempotency keys of the last 24 hours. Beyond a number and a size the oldest
 * are forgotten.
 */
export class RequestKeys {
  /** How many keys were forgotten before their time. */
  forgotten = 0;
  /** The oldest are first. */
  readonly #records = new Map<string, MemoryKey>();
  #size = 0;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get(id: string): KeyRecord | undefined {
    const record = this.#records.get(id);
    return record && !this.#isExpired(record) ? record : undefined;
  }

  /** All records. Those that are added meanwhile follow. */
  all(): IterableIterator<MemoryKey> {
    return this.#records.values();
  }

  /** Adds a record, and forgets those that are expired or too many. */
  add(record: MemoryKey): void {
    const before = this.#records.get(record.id);
    if (before) this.#delete(before);
    this.#records.set(record.id, record);
    this.#size += record.json.length;
    for (const oldest of this.#records.values()) {
      const isExpired = this.#isExpired(oldest);
      const isTooMuch = this.#records.size > KEYS.count || this.#size > KEYS.size;
      if (!isExpired && !isTooMuch) return;
      if (!isExpired) this.forgotten += 1;
      this.#delete(oldest);
    }
  }

  #isExpired({ made }: KeyRecord): boolean {
    return this.#now() - made >= KEYS.milliseconds;
  }

  #delete(record: KeyRecord): void {
    this.#records.delete(record.id);
    this.#size -= record.json.length;
  }
}
