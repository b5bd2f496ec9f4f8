import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Store } from '../src/store/store.ts';
import { type Listening, listen } from './listen.ts';

/** One server for all tests of a suite, over a new store for each: to compile the spec's checks takes a third of a second. */
export function sharedServer(newStore: () => Promise<Store>): () => Listening {
  let store: Store;
  let server: Listening;
  beforeAll(async () => {
    const current = new Proxy({} as Store, { get: (_, name) => Reflect.get(store, name) });
    store = await newStore();
    server = await listen({}, current);
  });
  beforeEach(async () => {
    store = await newStore();
  });
  afterAll(() => server.close());
  return () => server;
}
