import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultConfig, serve } from '@petstore/server';
import { service } from '@petstore/types';
import { whenOver } from './after-all.ts';

export const apiKey = 'a-key-that-is-for-tests-only';

/** A real server for one test file, with the animals that the store already holds. */
export async function startService(dataDir = mkdtempSync(join(tmpdir(), 'petctl-data-'))) {
  const config = defaultConfig({ port: 0, dataDir, logLevel: 'silent', apiKeys: `test=${apiKey}` });
  const server = await serve(config);
  whenOver(async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const { pathname } = new URL(service.deployments.production);
  const baseUrl = server.origin + pathname;
  return { baseUrl, origin: server.origin, env: { PETCTL_BASE_URL: baseUrl, PETCTL_API_KEY: apiKey } };
}
