export { type AppOptions, createApp } from './app.ts';
export type { Config } from './config.ts';
export { givenKeys, type KeyCheck, keyCheck } from './keys.ts';
export { type Running, serve } from './serve.ts';
export { memoryStore } from './store/memory.ts';
export type { Page, Store } from './store/store.ts';
