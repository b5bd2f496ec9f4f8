import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The API key that the server processes of all tests accept. */
export const apiKey = 'a-key-that-is-for-tests';

/** A running server process. */
export interface ServerProcess {
  baseUrl: string;
  origin: string;
  child: ChildProcess;
  /** The text that it has written to stdout and stderr. */
  output(): string;
  /** Sends a signal, by default SIGKILL, and resolves when the process has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** Runs the main file of a server with a new data folder. Resolves when the server listens. */
export async function startServer(main: string, env: NodeJS.ProcessEnv = {}): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-server-'));
  const child = spawn(process.execPath, [main], {
    env: {
      ...process.env,
      PORT: '0',
      PETSTORE_DATA_DIR: folder,
      PETSTORE_API_KEYS: apiKey,
      PETSTORE_LOG_LEVEL: 'error',
      ...env,
    },
  });
  let output = '';
  const ended = once(child, 'close').then(() => rmSync(folder, { recursive: true, force: true }));
  const baseUrl = await new Promise<string>((resolve, reject) => {
    const read = (data: Buffer) => {
      output += data;
      const [, url] = /listens on {2}(\S+)\n/.exec(output) ?? [];
      if (url) resolve(url);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    ended.then(() => reject(new Error(`The server did not start: ${output}`)));
  });
  return {
    baseUrl,
    origin: new URL(baseUrl).origin,
    child,
    output: () => output,
    kill: async (signal = 'SIGKILL') => {
      child.kill(signal);
      await ended;
    },
  };
}
