import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as open, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basePathOf, type Spec } from '../../openapi.ts';
import type { Send, Service } from './service.ts';

type Server = typeof import('@petstore/server');
type Store = ReturnType<Server['memoryStore']>;

/** A server that has not responded by then fails the check. */
const RESPONSE_TIMEOUT_MS = 10_000;

/**
 * Runs `work` with two servers. The first server responds on the fast path, with JSON from its store. The second server is the
 * Express app, which responds with the results of the handlers, and the store of the second server can fail.
 */
export async function withServers<T>(
  server: Server,
  spec: Spec,
  work: (plain: Service, failing: Service) => Promise<T>,
): Promise<T> {
  const apiKey = 'a-key-that-is-for-the-check';
  const folder = mkdtempSync(join(tmpdir(), 'petstore-drift-'));
  const stops = [async () => rmSync(folder, { recursive: true })];
  try {
    const stored = await server.openLowdbStore(folder);
    stops.unshift(async () => stored.close());
    const { memory, whileFailing } = breakable(server);
    const options = { keys: server.keyCheck(server.parseKeys(apiKey)) };
    const run = async (app: RequestListener) => {
      const { send, get, stop } = await start(server, app, basePathOf(spec));
      stops.unshift(stop);
      return { spec, apiKey, send, get };
    };
    const plain = await run(await server.createApp(stored, options));
    const failing = await run(await server.createExpressListener(memory, options));
    return await work({ ...plain, hasVersions: true }, { ...failing, whileFailing });
  } finally {
    for (const stop of stops) await stop();
  }
}

async function start({ listen }: Server, app: RequestListener, basePath: string) {
  const limits = { maxConnections: 100, headersTimeout: 5_000, requestTimeout: 5_000 };
  const listener = await listen(app, { host: '127.0.0.1', port: 0, ...limits });
  const agent = new Agent({ keepAlive: true });
  const send = sender(listener.origin + basePath, agent);
  const get = (path: string) => fetch(listener.origin + path);
  const stop = async () => {
    agent.destroy();
    await listener.drain(0);
  };
  return { send, get, stop };
}

/** Sends requests over reused connections, because fetch needs three times the CPU time. */
function sender(address: string, agent: Agent): Send {
  return ({ method, target, headers, body }) =>
    new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
      const request = open(address + target, { method, headers, agent, signal }, (response) => {
        const chunks: Uint8Array[] = [];
        response.on('data', (chunk: Uint8Array) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode: status = 0, rawHeaders } = response;
          const received = new Headers();
          for (let i = 0; i < rawHeaders.length; i += 2) received.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '');
          const content = [204, 205, 304].includes(status) ? null : Buffer.concat(chunks);
          resolve(new Response(content, { status, headers: received }));
        });
      });
      request.on('error', reject);
      request.end(body);
    });
}

/** A store in memory whose methods fail while `whileFailing` runs. */
function breakable({ memoryStore, StoreUnavailableError }: Server) {
  let failing = false;
  const failable = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (_, name) => {
        const property = Reflect.get(target, name);
        if (typeof property !== 'function') return property;
        return (...args: unknown[]) =>
          failing ? Promise.reject(new StoreUnavailableError('for the check')) : property.apply(target, args);
      },
    });
  const store = memoryStore();
  const memory: Store = { ...failable(store), collection: (name) => failable(store.collection(name)) };
  const whileFailing = async (work: () => Promise<void>) => {
    failing = true;
    await work().finally(() => {
      failing = false;
    });
  };
  return { memory, whileFailing };
}
