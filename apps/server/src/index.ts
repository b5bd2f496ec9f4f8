// What programs that embed the server use.
export { type App, type AppOptions, createApp } from './app.ts';
export { collections, declarations } from './collections.ts';
export { type Handlers, handlers } from './handlers.ts';
export { type KeyCheck, keysFrom } from './keys.ts';
export { type Listener, type ListenOptions, listen } from './listen.ts';
export type { Collection, Page, Query, RequestKey, Store, Stored } from './store/store.ts';
export { memoryStore, openLowdbStore } from './stores.ts';
