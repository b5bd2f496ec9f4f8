import { fileURLToPath } from 'node:url';
import { type ServerProcess, startServer as start } from '@petstore/testing/load';

export const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Starts a server process on this database. */
export function startServer(databaseUrl: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  return start(main, { DATABASE_URL: databaseUrl, ...env });
}
