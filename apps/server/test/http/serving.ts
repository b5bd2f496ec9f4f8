import { onTestFinished } from 'vitest';
import { memoryStore } from '../../src/store/memory.ts';
import type { Collection, Store } from '../../src/store/store.ts';
import { listen, withFunctions } from '../listen.ts';

type Options = Parameters<typeof listen>[0];

/** The bytes of a request that needs neither key nor store. */
export const GET_HEALTH = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';

/** Returns a function that starts a server for one test. Its result is the server, with the headers of valid requests. */
export function servingWith(options: Options) {
  return async (store: Store = memoryStore(), more: Options = {}) => {
    const server = await listen({ ...options, ...more }, store);
    onTestFinished(async () => {
      await server.close();
      await store.close();
    });
    const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' };
    const head = `Host: x\r\nAuthorization: Bearer ${server.apiKey}\r\n`;
    return { ...server, headers, head };
  };
}

/** A store whose creates wait until `release` is called. `begun` is the number of creates that have begun. */
export function withStalledCreates(store: Store) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const creates = { begun: 0, release };
  const create: Collection['create'] = (properties) => {
    creates.begun++;
    return released.then(() => store.collection('pets').create(properties));
  };
  return { stalledStore: withFunctions(store, { create }), creates };
}
