import { type ChildProcess, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  apiKey,
  type Greeting,
  runServer,
  type ServerProcess,
  type ServerRun,
  startServer,
} from '@petstore/testing/server';
import { onTestFinished } from 'vitest';

/** The main file of the server: of the sources, or of the packed package. */
export const main = process.env.PETSTORE_TEST_SERVER_MAIN ?? fileURLToPath(new URL('../src/main.js', import.meta.url));

/** Runs a command of the server to its end, without the database of the tests. */
export function runCommand(args: readonly string[], env: NodeJS.ProcessEnv = {}, input = '') {
  const { DATABASE_URL: _, ...outside } = process.env;
  return spawnSync(process.execPath, [main, ...args], { env: { ...outside, ...env }, input, encoding: 'utf8' });
}

/** Starts a server process on this database. */
export function startOnDatabase(databaseUrl: string, env: NodeJS.ProcessEnv = {}): Promise<ServerProcess> {
  return startServer(main, { DATABASE_URL: databaseUrl, ...env });
}

/** A running server process over a data folder. */
export interface ServerOnFolder extends Greeting, Pick<ServerRun, 'ended'> {
  child: ChildProcess;
}

/** Starts a server process over this data folder that ends with the test. Its log goes to a file descriptor, or to a pipe that the test can read. */
export async function startOnFolder(
  dataDir: string,
  args: string[] = [],
  { stdout = 'pipe', env: more }: { stdout?: 'pipe' | number; env?: NodeJS.ProcessEnv } = {},
): Promise<ServerOnFolder> {
  const env = { ...process.env, PORT: '0', PETSTORE_DATA_DIR: dataDir, PETSTORE_API_KEYS: apiKey, ...more };
  const { child, greeting, ended } = runServer(main, { args, env, stdout });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended, ...(await greeting) };
}

/** The variable that makes a process, and the processes that it starts, run a script before anything else. */
export function preload(script: string): { NODE_OPTIONS: string } {
  const { NODE_OPTIONS = '' } = process.env;
  return { NODE_OPTIONS: `${NODE_OPTIONS} --import=data:text/javascript,${encodeURIComponent(script)}` };
}
