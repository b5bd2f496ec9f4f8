import { apiKey } from '@petstore/testing/server';
import { service } from '@petstore/types';
import { afterAll, beforeAll } from 'vitest';
import {
  type AppOptions,
  type Collection,
  createApp,
  keysFrom,
  type ListenOptions,
  listen as listenFor,
  memoryStore,
  type Store,
} from '../src/index.ts';

/** A running server. */
export interface Listening {
  readonly origin: string;
  readonly baseUrl: string;
  stop(milliseconds?: number): Promise<void>;
}

type Options = Partial<AppOptions & ListenOptions>;

/** The server as it is shipped, and Express alone, which compares its responses with the spec. */
export const modes = [
  ['on the fast path', { validateResponses: false }],
  ['with validated responses', { validateResponses: true }],
] as const;

/** Starts a server, by default over an empty store. */
export async function listen(options: Options = {}, store: Store = memoryStore()): Promise<Listening> {
  const app = createApp(store, { keys: keysFrom(`tester=${apiKey}`), ...options });
  const { origin, stop } = await listenFor(app, { host: '127.0.0.1', port: 0, ...options });
  return { origin, baseUrl: origin + service.basePath, stop: (milliseconds = 0) => stop(milliseconds) };
}

/** Starts a server before the tests of a suite, and stops it after them. */
export function listenForSuite(options: Options = {}, store?: Store): () => Listening {
  let server: Listening;
  beforeAll(async () => {
    server = await listen(options, store);
  });
  afterAll(() => server.stop());
  return () => server;
}

/** The store with some functions of its collections replaced. */
export function withFunctions(store: Store, functions: Partial<Collection>): Store {
  return {
    ...store,
    collection: (name, key) => {
      const collection = store.collection(name, key);
      const { create, replace, remove, get, list } = collection;
      return { create, replace, remove, get, list, ...functions };
    },
  };
}
