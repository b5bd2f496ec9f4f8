import { allCollections } from './collections.ts';
import { type LowdbOptions, openLowdbStore as openFolder } from './store/lowdb/lowdb.ts';
import { memoryStore as newMemoryStore } from './store/memory.ts';
import {
  openPostgresStore as openDatabase,
  type PostgresOptions,
  type PostgresStore,
} from './store/postgres/postgres.ts';
import type { Store } from './store/store.ts';

/** A store for this service that forgets everything when the process ends. */
export function memoryStore(): Store {
  return newMemoryStore(allCollections);
}

/** The store of this service in a folder of its own, which is made where it is missing. */
export function openLowdbStore(folder: string, options?: LowdbOptions): Promise<Store> {
  return openFolder(folder, allCollections, options);
}

/** The store of this service in a PostgreSQL database, which any number of servers share. */
export function openPostgresStore(url: string, options?: PostgresOptions): Promise<PostgresStore> {
  return openDatabase(url, allCollections, options);
}
