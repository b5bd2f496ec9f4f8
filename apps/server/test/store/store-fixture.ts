import type { CollectionDeclaration } from '../../src/store/document.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import type { Collection, Store } from '../../src/store/store.ts';

/** A kind of store for the suites that every store passes. */
export interface StoreFixture {
  /** Opens a new, empty store with these collections. */
  open(collections: readonly CollectionDeclaration[]): Promise<Store>;
  /** Opens the closed store again. A store in memory has no such function. */
  reopen?(collections: readonly CollectionDeclaration[]): Promise<Store>;
  /** The number of comparisons with a map. Stores that open slowly have few. */
  runs?: number;
}

/** The suites have collections of their own, because nothing in the stores is about pets. */
export const things: CollectionDeclaration = { name: 'things', id: 'key', indexes: ['color', 'size'] };
export const others: CollectionDeclaration = { name: 'others', id: 'id', indexes: [] };

/** The options of a write with an idempotency key. */
export const once = (key: string, fingerprint = 'same') => ({ idempotency: { key, fingerprint } });

/** The cost of a segment that is so small that a short test seals and merges many. */
export const smallSegments = 6000;

export const isDatabase = (place: string) => place.startsWith('postgres:');

/** Opens the store of `things` in a folder or a database. */
export function openThings(place: string, onWarning: (line: string) => void = () => {}): Promise<Store> {
  if (isDatabase(place)) return openPostgresStore(place, [things], { connectTimeout: 1_000, statementTimeout: 2_000 });
  return openLowdbStore(place, [things], { onWarning, maxSegment: smallSegments });
}

/** Runs work on a new store with the collections of the suites, and closes it. */
export function usingStore(open: StoreFixture['open']) {
  return async (work: (collection: Collection, store: Store) => Promise<void>) => {
    const store = await open([things, others]);
    try {
      await work(store.collection('things'), store);
    } finally {
      await store.close();
    }
  };
}
