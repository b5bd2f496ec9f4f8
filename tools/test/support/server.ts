import { join } from 'node:path';
import * as shipped from '@petstore/server';
import { apiKey, runServer } from '@petstore/testing/server';
import { root } from '../../repository.ts';
import { type Env, stop } from './process.ts';

export interface Server {
  readonly origin: string;
  /** An API key that it accepts. */
  readonly key: string;
  /** What its process printed when it started. */
  readonly greeting: string;
  stop(): Promise<unknown>;
}

/** A server in this process, by default the shipped one over an empty store in memory. */
export async function startServer(
  options: Partial<shipped.AppOptions> = {},
  { createApp, listen, memoryStore }: Pick<typeof shipped, 'createApp' | 'listen' | 'memoryStore'> = shipped,
  store = memoryStore(),
): Promise<Server> {
  const app = createApp(store, { keys: (key) => (key === apiKey ? 'tester' : undefined), ...options });
  const { origin, stop: stopServer } = await listen(app, { host: '127.0.0.1', port: 0 });
  return { origin, key: apiKey, greeting: '', stop: () => stopServer(0) };
}

const MAIN = join(root, 'apps/server/src/main.js');

/** A server in a process of its own, as `npm start` starts it, with its data below a folder. */
export async function startServerProcess(folder: string, env: Env = process.env, main = MAIN): Promise<Server> {
  const { child, greeting, stderr } = runServer(main, { cwd: folder, env: { ...env, PORT: '0' }, stdout: 'ignore' });
  const { origin, key } = await greeting;
  return { origin, key, greeting: stderr(), stop: () => stop(child) };
}
