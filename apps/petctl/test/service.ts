import { createApp, keysFrom, listen, openLowdbStore } from '@petstore/server';
import { newFolder } from '@petstore/testing';
import { service } from '@petstore/types';
import { onCleanup } from './cleanup.ts';

export const apiKey = 'a-key-that-is-for-tests-only';

/** A server for one test file, with the pets of an existing store, if any. */
export async function startService(dataDir = newFolder('petctl-data', onCleanup)) {
  const store = await openLowdbStore(dataDir);
  const server = await listen(createApp(store, { keys: keysFrom(`test=${apiKey}`) }), { host: '127.0.0.1', port: 0 });
  onCleanup(async () => {
    await server.stop(0);
    await store.close();
  });
  const baseUrl = server.origin + service.basePath;
  return { baseUrl, origin: server.origin, env: { PETCTL_BASE_URL: baseUrl, PETCTL_API_KEY: apiKey } };
}
