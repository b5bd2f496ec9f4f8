import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { apiKey, type ServerProcess, startServer } from '@petstore/testing/server';
import { service } from '@petstore/types';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import {
  type AppOptions,
  type Collection,
  createApp,
  keysFrom,
  type ListenOptions,
  listen as listenFor,
  memoryStore,
  type Store,
} from '../src/index.ts';
import { key, raw, type WireResponse } from './wire.ts';

/** A running server. */
export interface Listening {
  readonly origin: string;
  readonly baseUrl: string;
  stop(milliseconds?: number): Promise<void>;
}

type Options = Partial<AppOptions & ListenOptions>;

/** The server as it is shipped, and with each response compared with the spec. */
export const modes = [
  ['as it is shipped', { validateResponses: false }],
  ['with validated responses', { validateResponses: true }],
] as const;

/** Starts a server, by default over an empty store. */
export async function listen(
  options: Options = {},
  store: Store = memoryStore(),
): Promise<Listening> {
  const app = createApp(store, { keys: keysFrom(`tester=${apiKey}`), ...options });
  const { origin, stop } = await listenFor(app, { host: '127.0.0.1', port: 0, ...options });
  return {
    origin,
    baseUrl: origin + service.basePath,
    stop: (milliseconds = 0) => stop(milliseconds),
  };
}

/** Starts a server that stops with the running test. */
export async function listenForTest(options?: Options, store?: Store): Promise<Listening> {
  const server = await listen(options, store);
  onTestFinished(() => server.stop());
  return server;
}

/** Starts a server before the tests of a suite, and stops it after them. */
export function listenForSuite(options?: Options, store?: Store): () => Listening {
  let server: Listening;
  beforeAll(async () => {
    server = await listen(options, store);
  });
  afterAll(() => server.stop());
  return () => server;
}

/** Sends bytes to one server as it is shipped and to one that validates responses. Both responses have to be the same, byte for byte. */
export type SendBothWays = (bytes: string | Uint8Array) => Promise<WireResponse>;

/** Starts both servers for a suite, each over a store of its own. */
export function bothWays(
  options: Options = {},
  newStore: () => Store = () => memoryStore(),
): SendBothWays {
  const servers = modes.map(([, mode]) => listenForSuite({ ...options, ...mode }, newStore()));
  return async (bytes) => {
    const [shipped, validated] = await Promise.all(
      servers.map((server) => raw(server().origin, bytes)),
    );
    expect(shipped?.bytes).toBe(validated?.bytes);
    return shipped as WireResponse;
  };
}

/** The store with some functions of its collections replaced. */
export function withFunctions(store: Store, functions: Partial<Collection>): Store {
  return {
    ...store,
    collection: (name, key) => ({ ...store.collection(name, key), ...functions }),
  };
}

export const main = fileURLToPath(new URL('../src/main.js', import.meta.url));

/** The environment of a process with these variables. */
export function environment(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, ...outside } = process.env;
  return { ...outside, PORT: '0', ...variables };
}

/** Runs a command of the server to its end. */
export function runCommand(
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
  input?: string,
) {
  const env = environment(variables);
  return spawnSync(process.execPath, [main, ...args], {
    env,
    input,
    encoding: 'utf8',
    timeout: 240_000,
  });
}

/** Starts a server process that ends with the running test. */
export async function startForTest(variables: NodeJS.ProcessEnv = {}): Promise<ServerProcess> {
  const server = await startServer(main, { PETSTORE_LOG_LEVEL: 'info', ...variables });
  onTestFinished(async () => {
    if (server.child.exitCode === null && server.child.signalCode === null) await server.kill();
  });
  return server;
}

/** Lists the pets of a server, by default with the key that all servers of tests accept. */
export function listPets(baseUrl: string, headers: Record<string, string> = key) {
  return fetch(`${baseUrl}/pets?limit=100`, { headers });
}

/** Whether a server accepts no connections. */
export function isClosed(origin: string): Promise<boolean> {
  return fetch(`${origin}/healthz`).then(
    () => false,
    () => true,
  );
}

/** The lines of a server's log with this identifier of a request. */
export async function linesOf(server: ServerProcess, requestId: string) {
  await expect.poll(() => server.stdout()).toContain(`"${requestId}"`);
  const lines = server.stdout().trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line)).filter((line) => line.requestId === requestId);
}

/** Starts a port that accepts connections and says nothing, until they are let through to another port. It ends with the running test. */
export async function startGate(): Promise<{
  port: number;
  open(to: { hostname: string; port: string }): void;
}> {
  const { promise, resolve } = Promise.withResolvers<{ hostname: string; port: string }>();
  const sockets: Socket[] = [];
  const gate = createServer(async (socket) => {
    sockets.push(socket.on('error', () => {}));
    const { hostname, port } = await promise;
    const onward = connect(Number(port), hostname).on('error', () => socket.destroy());
    sockets.push(onward);
    socket.pipe(onward).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(gate, 'listening');
  onTestFinished(() => {
    gate.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (gate.address() as AddressInfo).port, open: resolve };
}
