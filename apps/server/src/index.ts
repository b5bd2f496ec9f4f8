export { type AppOptions, createApp, createExpressApp, createExpressListener } from './app.ts';
export { allCollections, collections } from './collections.ts';
export { type Config, defaultConfig } from './config/config.ts';
export { ConfigError } from './config/kinds.ts';
export { handlers } from './handlers.ts';
export { type Listener, type ListenOptions, listen } from './http/listen.ts';
export { type KeyCheck, keyCheck } from './keys/check-keys.ts';
export { parseKeys } from './keys/parse-keys.ts';
export { type Running, serve } from './serve.ts';
export type { CollectionDeclaration } from './store/document.ts';
export {
  StoreDamagedError,
  StoreFolderError,
  StoreLockedError,
  StoreUnavailableError,
} from './store/errors.ts';
export type { LowdbOptions } from './store/lowdb/lowdb.ts';
export { memoryStore } from './store/memory.ts';
export { openLowdbStore, openPostgresStore } from './store/open.ts';
export type { PostgresOptions, PostgresStore } from './store/postgres/postgres.ts';
export type { Collection, Connections, Document, ListQuery, Page, Properties, Store } from './store/store.ts';
