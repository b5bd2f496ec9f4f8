import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { apiKey, type ServerProcess as ServerOnDatabase, startServer as start } from '@petstore/testing/server';
import { onTestFinished } from 'vitest';

/** The main file of the server: of the sources, or of the packed package. */
export const main = process.env.PETSTORE_TEST_SERVER_MAIN ?? fileURLToPath(new URL('../src/main.js', import.meta.url));

/** Starts a server process on this database. */
export function startServer(databaseUrl: string, env: NodeJS.ProcessEnv = {}): Promise<ServerOnDatabase> {
  return start(main, { DATABASE_URL: databaseUrl, ...env });
}

/** A running server process. */
export interface ServerProcess {
  child: ChildProcess;
  origin: string;
  adminOrigin: string | undefined;
  /** Resolves when the process has ended. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/**
 * Starts a server process that ends with the test. Its log goes to a file descriptor, or to a pipe that the test can read.
 * `script` runs in the process before anything else.
 */
export async function startProcess(
  dataDir: string,
  argv: string[] = [],
  { stdout = 'pipe', script, env: more }: { stdout?: 'pipe' | number; script?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<ServerProcess> {
  const env = { ...process.env, PORT: '0', PETSTORE_DATA_DIR: dataDir, PETSTORE_API_KEYS: apiKey, ...more };
  if (script) Object.assign(env, { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` });
  const child = spawn(process.execPath, [main, ...argv], { env, stdio: ['ignore', stdout, 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  let origin: string | undefined;
  let adminOrigin: string | undefined;
  for await (const line of createInterface({ input: child.stderr as NonNullable<typeof child.stderr> })) {
    origin ??= /listens on +(\S+)\/v1/.exec(line)?.[1];
    adminOrigin ??= /For operators +(http:\/\/[^/]+)/.exec(line)?.[1];
    // The last line of the greeting.
    if (line.includes('curl') && origin) break;
  }
  if (!origin) throw new Error('the server did not start');
  child.stderr?.resume();
  return { child, origin, adminOrigin, ended };
}
