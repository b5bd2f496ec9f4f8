export { type AppOptions, createApp, createExpressApp } from './app.ts';
export { type Config, ConfigError, defaultConfig } from './config.ts';
export { handlers } from './handlers.ts';
export { type Listener, type ListenOptions, listen } from './http/listen.ts';
export { givenKeys, type KeyCheck, keyCheck } from './keys.ts';
export { type Running, serve } from './serve.ts';
export {
  StoreDamagedError,
  StoreFolderError,
  StoreLockedError,
  StoreUnavailableError,
} from './store/errors.ts';
export { type LowdbOptions, openLowdbStore } from './store/lowdb/lowdb.ts';
export { memoryStore } from './store/memory.ts';
export { openPostgresStore, type PostgresOptions, type PostgresStore } from './store/postgres/postgres.ts';
export type { Connections, Page, Store } from './store/store.ts';
