import type { CollectionDeclaration } from '../../src/store/document.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import type { Collection, Store } from '../../src/store/store.ts';

/** A kind of store for the suite that all of them pass. */
export interface StoreFixture {
  /** A new, empty store with these collections. */
  open(collections: readonly CollectionDeclaration[]): Promise<Store>;
  /** The same store again after it was closed, if it outlives that. */
  reopen?(collections: readonly CollectionDeclaration[]): Promise<Store>;
  /** How often it is compared with a map; for stores that take long to open. */
  runs?: number;
}

/** Nothing here is about pets: the collections of the suite are its own. */
export const things: CollectionDeclaration = { name: 'things', id: 'key', indexes: ['color', 'size'] };
export const others: CollectionDeclaration = { name: 'others', id: 'id', indexes: [] };

/** The options of a write with an idempotency key. */
export const once = (key: string, fingerprint = 'same') => ({ idempotency: { key, fingerprint } });

/** Segments so small that a short test seals and merges many. */
export const smallSegments = 6000;

export const isDatabase = (place: string) => place.startsWith('postgres:');

/** The store of `things` in a folder, or in a database. */
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
