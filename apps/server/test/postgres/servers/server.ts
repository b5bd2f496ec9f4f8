import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

export const apiKey = 'a-key-that-is-for-tests';

/** A server process on a database. */
export interface ServerProcess {
  baseUrl: string;
  origin: string;
  child: ChildProcess;
  /** Everything it has written to stdout and stderr. */
  output(): string;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export async function startServer(databaseUrl: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-server-'));
  const child = spawn(process.execPath, [main], {
    env: {
      ...process.env,
      PORT: '0',
      DATABASE_URL: databaseUrl,
      PETSTORE_DATA_DIR: folder,
      PETSTORE_API_KEYS: apiKey,
      PETSTORE_LOG_LEVEL: 'error',
      ...env,
    },
  });
  let output = '';
  const ended = once(child, 'close').then(() => rmSync(folder, { recursive: true, force: true }));
  const baseUrl = await new Promise<string>((resolve, reject) => {
    const take = (data: Buffer) => {
      output += data;
      const [, url] = /listens on {2}(\S+)\n/.exec(output) ?? [];
      if (url) resolve(url);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
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
