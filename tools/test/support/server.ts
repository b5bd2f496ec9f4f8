import { join } from 'node:path';
import { type AppOptions, createApp, keyCheck, listen, memoryStore, parseKeys } from '@petstore/server';
import { runServer } from '@petstore/testing/server';
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

/** A server in this process, over an empty store in memory. */
export async function startServer(options: Omit<AppOptions, 'keys'> = {}): Promise<Server> {
  const key = 'a-key-that-is-for-tests';
  const app = await createApp(memoryStore(), { keys: keyCheck(parseKeys(key)), ...options });
  const limits = { maxConnections: 100, headersTimeout: 10_000, requestTimeout: 10_000 };
  const { origin, drain } = await listen(app, { host: '127.0.0.1', port: 0, ...limits });
  return { origin, key, greeting: '', stop: () => drain(0) };
}

const MAIN = join(root, 'apps/server/src/main.js');

/** A server in a process of its own, as `npm start` starts it, with its data below a folder. */
export async function startServerProcess(folder: string, env: Env = process.env, main = MAIN): Promise<Server> {
  const { child, greeting, stderr } = runServer(main, { cwd: folder, env: { ...env, PORT: '0' }, stdout: 'ignore' });
  const { origin, key } = await greeting;
  return { origin, key, greeting: stderr(), stop: () => stop(child) };
}
