import { MemoryCollection } from './collection.ts';
import {
  type Change,
  CommitPlan,
  type KeyChange,
  type KeyRecord,
  type Outcome,
  type State,
  type Write,
} from './commit-plan.ts';
import { type Backend, createStore } from './create-store.ts';
import { type Declaration, KEYS, type Stats, type Store, StoreError } from './store.ts';

export interface MemoryOptions {
  /** About the bytes of memory that documents may need. Default: without a bound. */
  readonly size?: number | undefined;
  /** The milliseconds since 1970, for the age of idempotency keys. */
  readonly clock?: (() => number) | undefined;
}

/** Creates a store that forgets everything when the process ends. */
export function createMemoryStore(
  declarations: readonly Declaration[],
  options?: MemoryOptions,
): Store {
  return createStore(declarations, new Memory(declarations, options));
}

/** Where changes are saved before they are applied to the memory. */
export interface ChangeLog {
  readonly bytes: number;
  save(changes: readonly Change[]): Promise<void>;
  check(): void;
  close(): Promise<void>;
}

/** The data of a store that serves everything from memory. */
export class Memory implements Backend, State {
  readonly collections: ReadonlyMap<string, MemoryCollection>;
  readonly keys: RequestKeys;
  readonly now: () => number;
  /** Without a log, everything is forgotten when the process ends. */
  log: ChangeLog | undefined;
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

  text(collection: string, id: number): string | undefined {
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
    return {
      documents,
      journalBytes: this.log?.bytes,
      roomBytes: this.#maxSize === Number.POSITIVE_INFINITY ? undefined : this.room,
      forgottenKeys: this.keys.forgotten,
    };
  }

  async commit(writes: readonly Write[]): Promise<Outcome[]> {
    const { changes, outcomes } = new CommitPlan(writes, this);
    if (changes.length > 0) await this.log?.save(changes);
    for (const change of changes) this.apply(change);
    return outcomes;
  }

  apply(change: Change): void {
    const { kind, collection, key } = change;
    if (kind === 'put') this.collection(collection).put(change.id, change.json, change.document);
    if (kind === 'remove') this.collection(collection).remove(change.id);
    if (key) this.keys.add({ kind: 'key', collection, key });
  }

  async check(): Promise<void> {
    this.log?.check();
  }

  async close(): Promise<void> {
    await this.log?.close();
  }
}

/**
 * The records of the idempotency keys of the last 24 hours. If these are too many or too large, the
 * oldest are forgotten.
 */
export class RequestKeys {
  /** The number of keys that were forgotten before their time. */
  forgotten = 0;
  /** By identifier. The oldest are first. */
  readonly #changes = new Map<string, KeyChange>();
  #size = 0;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get(id: string): KeyRecord | undefined {
    const key = this.#changes.get(id)?.key;
    return key && !this.#isExpired(key) ? key : undefined;
  }

  /** The changes that add all keys again. They include the keys that are added meanwhile. */
  all(): IterableIterator<KeyChange> {
    return this.#changes.values();
  }

  /** Adds a key, and forgets those that are expired or too many. */
  add(change: KeyChange): void {
    const { key } = change;
    this.#forget(key.id);
    this.#changes.set(key.id, change);
    this.#size += key.json.length;
    for (const { key: oldest } of this.#changes.values()) {
      const isExpired = this.#isExpired(oldest);
      if (!isExpired && !this.#isTooMuch()) return;
      this.#forget(oldest.id);
      if (!isExpired) this.forgotten += 1;
    }
  }

  #isTooMuch(): boolean {
    return this.#changes.size > KEYS.count || this.#size > KEYS.size;
  }

  #isExpired({ made }: KeyRecord): boolean {
    return this.#now() - made >= KEYS.milliseconds;
  }

  #forget(id: string): void {
    const before = this.#changes.get(id);
    if (!before) return;
    this.#changes.delete(id);
    this.#size -= before.key.json.length;
  }
}
