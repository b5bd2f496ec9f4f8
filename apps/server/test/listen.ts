import { apiKey } from '@petstore/testing/server';
import { service } from '@petstore/types';
import { afterAll, beforeAll } from 'vitest';
import { type AppOptions, createApp } from '../src/app.ts';
import { allCollections } from '../src/collections.ts';
import { type ListenOptions, listen as listenFor } from '../src/http/listen.ts';
import { keyCheck } from '../src/keys/check-keys.ts';
import { parseKeys } from '../src/keys/parse-keys.ts';
import { memoryStore } from '../src/store/memory.ts';
import type { Collection, Store } from '../src/store/store.ts';

/** A running server. */
export interface Listening {
  origin: string;
  baseUrl: string;
  apiKey: string;
  drain(timeoutMs: number): Promise<number>;
  close(): Promise<unknown>;
}

/** The server as users run it, and the Express app alone, which validates its responses against the spec. */
export const modes = [
  ['as shipped', { validateResponses: false }],
  ['with validated responses', { validateResponses: true }],
] as const;

/** On a free port. No request takes as long as these timeouts, even on a busy machine. */
export const listenOptions: ListenOptions = {
  host: '127.0.0.1',
  port: 0,
  maxConnections: 1000,
  headersTimeout: 30_000,
  requestTimeout: 30_000,
};

/** For tests of slow clients. The requests of these tests arrive in one piece or never. */
export const shortTimeouts = { headersTimeout: 200, requestTimeout: 200 };

/** Starts a server, by default over an empty store and with validated responses. */
export async function listen(
  options: Partial<AppOptions & ListenOptions> = {},
  store: Store = memoryStore(allCollections),
): Promise<Listening> {
  const app = await createApp(store, { keys: keyCheck(parseKeys(apiKey)), validateResponses: true, ...options });
  const { origin, drain } = await listenFor(app, { ...listenOptions, ...options });
  return { origin, baseUrl: origin + service.basePath, apiKey, drain, close: () => drain(0) };
}

/** Starts a server before the tests of a suite, and stops it after them. */
export function listenForSuite(options: Partial<AppOptions & ListenOptions> = {}, store?: Store): () => Listening {
  let server: Listening;
  beforeAll(async () => {
    server = await listen(options, store);
  });
  afterAll(() => server.close());
  return () => server;
}

/** The store with some functions of its collections replaced. */
export function withFunctions(store: Store, functions: Partial<Collection>): Store {
  return { ...store, collection: (name) => ({ ...store.collection(name), ...functions }) };
}
