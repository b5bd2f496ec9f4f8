// The server as a process, for tests.
import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { makeFolder } from './index.ts';

/** The API key that the server processes of all tests accept. */
export const apiKey = 'a-key-that-is-for-tests';

/** The options of the process. Its log goes to a pipe that the caller reads, nowhere, or to a file. */
type RunOptions = SpawnOptions & { args?: readonly string[]; stdout?: 'pipe' | 'ignore' | number };

/** Runs the main file of a server, which may not listen yet. The caller ends the process. */
export function runServer(main: string, { args = [], stdout = 'pipe', ...options }: RunOptions) {
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', stdout, 'pipe'],
    ...options,
  });
  let stderr = '';
  /** Rejects if the process ends before it listens. */
  const greeting = new Promise<ReturnType<typeof greetingIn>>((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      // The server prints the whole greeting at once.
      if (text.includes('listens on')) resolve(greetingIn(stderr));
    });
    child.stderr?.on('end', () => reject(new Error(`The server did not start: ${stderr}`)));
  });
  // A test may wait for the end of the process only.
  greeting.catch(() => {});
  type End = { code: number | null; signal: NodeJS.Signals | null };
  const ended = once(child, 'exit').then(([code, signal]): End => ({ code, signal }));
  return { child, stderr: () => stderr, greeting, ended };
}

/** What a server prints when it listens. `url` and `key` are those of the command to try. */
function greetingIn(text: string) {
  const baseUrl = wordAfter(text, 'listens on');
  const operators = wordAfter(text, 'For operators');
  const curl = text.split('\n').find((line) => line.includes('curl -H')) ?? '';
  const [key = '', url = ''] = curl.split('Bearer ')[1]?.split("' ") ?? [];
  return {
    baseUrl,
    origin: new URL(baseUrl).origin,
    adminOrigin: operators === '' ? undefined : new URL(operators).origin,
    url: url.trim(),
    key,
  };
}

/** The word that follows a label; empty if the label is not there. */
function wordAfter(text: string, label: string): string {
  const line = text.split('\n').find((each) => each.includes(label)) ?? '';
  const [, rest = ''] = line.split(label);
  return rest.trim().split(/[\s,]/)[0] ?? '';
}

/** A server process that listens. */
export type ServerProcess = Awaited<ReturnType<typeof startServer>>;

/**
 * Starts a server with a new data folder, which is removed when the server ends. Resolves when the
 * server listens.
 */
export async function startServer(main: string, env: NodeJS.ProcessEnv = {}) {
  const { folder, remove } = makeFolder('server');
  const defaults = {
    PORT: '0',
    PETSTORE_DATA_DIR: folder,
    PETSTORE_API_KEYS: apiKey,
    PETSTORE_LOG_LEVEL: 'error',
  };
  const { child, greeting, stderr } = runServer(main, {
    env: { ...process.env, ...defaults, ...env },
  });
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const closed = once(child, 'close').then(remove);
  /** Resolves when the process has ended. */
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal);
    await closed;
  };
  return { ...(await greeting), child, stderr, stdout: () => stdout, kill };
}
