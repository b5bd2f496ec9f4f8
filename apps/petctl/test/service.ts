import { defaultConfig, serve } from '@petstore/server/internal';
import { newFolder } from '@petstore/testing';
import { service } from '@petstore/types';
import { onCleanup } from './cleanup.ts';

export const apiKey = 'a-key-that-is-for-tests-only';

/** A server for one test file, with the pets of an existing store, if any. */
export async function startService(dataDir = newFolder('petctl-data', onCleanup)) {
  const config = defaultConfig({ port: 0, dataDir, logLevel: 'silent', apiKeys: `test=${apiKey}` });
  const server = await serve(config);
  onCleanup(() => server.stop());
  const baseUrl = server.origin + service.basePath;
  return { baseUrl, origin: server.origin, env: { PETCTL_BASE_URL: baseUrl, PETCTL_API_KEY: apiKey } };
}
