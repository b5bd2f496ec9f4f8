import { join } from 'node:path';
import { type AppOptions, createApp, keysFrom, listen, memoryStore } from '@petstore/server';
import { apiKey, runServer } from '@petstore/testing/server';
import { root } from '../../repository.ts';
import { type Env, stop } from './process.ts';

export type { Env } from './process.ts';

export interface Server {
  readonly origin: string;
  /** An API key that it accepts. */
  readonly key: string;
  /** What its process printed when it started. */
  readonly greeting: string;
  stop(): Promise<unknown>;
}

/** A server in this process over an empty store in memory. */
export async function startServer(options: Partial<AppOptions> = {}): Promise<Server> {
  const app = createApp(memoryStore(), { keys: keysFrom(apiKey), ...options });
  const { origin, stop: stopServer } = await listen(app, { host: '127.0.0.1', port: 0 });
  return { origin, key: apiKey, greeting: '', stop: () => stopServer(0) };
}

/** A server in a process of its own, as `npm start` starts it, with its data below a folder. */
export async function startServerProcess(
  folder: string,
  env: Env = process.env,
  of = root,
): Promise<Server> {
  const main = join(of, 'apps/server/src/main.js');
  const { child, greeting, stderr } = runServer(main, {
    cwd: folder,
    env: { ...env, PORT: '0' },
    stdout: 'ignore',
  });
  const { origin, key } = await greeting;
  return { origin, key, greeting: stderr(), stop: () => stop(child) };
}
