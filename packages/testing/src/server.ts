// The server as a process, for tests.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { makeFolder } from './index.ts';

/** The API key that the server processes of all tests accept. */
export const apiKey = 'a-key-that-is-for-tests';

/** What a server prints when it listens. */
export interface Greeting {
  readonly baseUrl: string;
  readonly origin: string;
  readonly adminOrigin: string | undefined;
  /** The URL and the API key of the command to try. */
  readonly url: string;
  readonly key: string;
}

/** A server process that may not listen yet. */
export interface ServerRun {
  readonly child: ChildProcess;
  /** The text that it has written to stderr. */
  stderr(): string;
  /** Resolves when the server listens; rejects if the process ends before. */
  readonly greeting: Promise<Greeting>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Runs the main file of a server. The caller ends the process. The log goes to a pipe that the caller reads, nowhere, or to a file descriptor. */
export function runServer(
  main: string,
  {
    args = [],
    stdout = 'pipe',
    ...options
  }: SpawnOptions & { args?: readonly string[]; stdout?: 'pipe' | 'ignore' | number },
): ServerRun {
  const child = spawn(process.execPath, [main, ...args], { ...options, stdio: ['ignore', stdout, 'pipe'] });
  let stderr = '';
  const greeting = new Promise<Greeting>((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      // The server prints the whole greeting at once.
      if (text.includes('listens on')) resolve(greetingIn(stderr));
    });
    child.stderr?.on('end', () => reject(new Error(`The server did not start: ${stderr}`)));
  });
  // A test may wait for the end of the process only.
  greeting.catch(() => {});
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  return { child, stderr: () => stderr, greeting, ended };
}

function greetingIn(text: string): Greeting {
  const [, baseUrl = ''] = /listens on +(\S+)\n/.exec(text) ?? [];
  const [, adminOrigin] = /For operators +(http:\/\/[^/]+)/.exec(text) ?? [];
  const [, key = '', url = ''] = /curl -H 'Authorization: Bearer (.+)' (\S+)\n/.exec(text) ?? [];
  return { baseUrl, origin: new URL(baseUrl).origin, adminOrigin, url, key };
}

/** A server process that listens. */
export interface ServerProcess extends Greeting, Pick<ServerRun, 'child' | 'stderr'> {
  /** The text that it has written to stdout: its log. */
  stdout(): string;
  /** Sends a signal, by default SIGKILL, and resolves when the process has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a server with a new data folder, which is removed when the server ends. Resolves when the server listens. */
export async function startServer(main: string, env: NodeJS.ProcessEnv = {}): Promise<ServerProcess> {
  const { folder, remove } = makeFolder('server');
  const defaults = { PORT: '0', PETSTORE_DATA_DIR: folder, PETSTORE_API_KEYS: apiKey, PETSTORE_LOG_LEVEL: 'error' };
  const { child, greeting, stderr } = runServer(main, { env: { ...process.env, ...defaults, ...env } });
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const closed = once(child, 'close').then(remove);
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal);
    await closed;
  };
  return { ...(await greeting), child, stderr, stdout: () => stdout, kill };
}
