import { collections } from './handlers.ts';
import { type LowdbOptions, openLowdbStore as openLowdb } from './store/lowdb.ts';
import { createMemoryStore, type MemoryOptions } from './store/memory.ts';
import type { PostgresOptions } from './store/postgres.ts';
import type { Store } from './store/store.ts';

export { type AppOptions, createApp } from './app.ts';
export type { Context, HandlerLog } from './call.ts';
export { HttpError } from './errors.ts';
export { type Handlers, handlers } from './handlers.ts';
export { type KeyCheck, keysFrom } from './keys.ts';
export { type Listener, type ListenOptions, listen } from './listen.ts';
export {
  type Collection,
  type KeyedRequest,
  type Query,
  type Store,
  StoredDocument,
  StoredPage,
} from './store/store.ts';

export const declarations = Object.values(collections);

/** A store that forgets everything when the process ends, for tests. */
export const memoryStore = (options?: MemoryOptions): Store =>
  createMemoryStore(declarations, options);

/** The durable store in a folder. */
export const openLowdbStore = (folder: string, options?: LowdbOptions): Promise<Store> =>
  openLowdb(folder, declarations, options);

/** The store in a PostgreSQL database, which several servers can share. */
export const openPostgresStore = async (url: string, options?: PostgresOptions): Promise<Store> =>
  (await import('./store/postgres.ts')).openPostgresStore(url, declarations, options);
