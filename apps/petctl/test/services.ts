// The services that petctl calls in tests: the real server, and one that records requests and may misbehave.
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { newFolder } from '@petstore/testing';
import { service } from '@petstore/types';
import { atEnd } from './scratch.ts';

export const apiKey = 'a-key-that-is-for-tests-only';

/** Starts the server, with so many pets, for one test file. */
export async function startService(count = 0) {
  // On demand, because some tests do without the server.
  const { createApp, keysFrom, listen, openLowdbStore } = await import('@petstore/server');
  const store = await openLowdbStore(newFolder('petctl-data', atEnd));
  const pets = store.collection('pets');
  for (let done = 0; done < count; done += 1000)
    await Promise.all(
      Array.from({ length: Math.min(1000, count - done) }, (_, i) =>
        pets.create({ name: `Pet ${done + i + 1}`, categoryId: (done + i) % 7 }),
      ),
    );
  const server = await listen(createApp(store, { keys: keysFrom(`test=${apiKey}`) }), {
    host: '127.0.0.1',
    port: 0,
  });
  atEnd(async () => {
    await server.stop(0);
    await store.close();
  });
  const baseUrl = server.origin + service.basePath;
  return {
    baseUrl,
    origin: server.origin,
    env: { PETCTL_BASE_URL: baseUrl, PETCTL_API_KEY: apiKey },
  };
}

export interface Recorded {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A server that records its requests, and replies as a function decides; `count` is the number of requests so far. */
export async function record(
  replyTo: (request: Recorded, count: number) => Reply | 'hang' | 'break' | Promise<Reply>,
) {
  const requests: Recorded[] = [];
  const origin = await serve(async (request, response) => {
    const body = await text(request);
    const recorded = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body,
    };
    requests.push(recorded);
    const reply = await replyTo(recorded, requests.length);
    if (reply === 'hang') return;
    if (reply === 'break') request.socket.destroy();
    else send(reply, response);
  });
  const baseUrl = `${origin}/v1`;
  return {
    requests,
    baseUrl,
    origin,
    env: { PETCTL_BASE_URL: baseUrl, PETCTL_API_KEY: 'k'.repeat(20) },
  };
}

function send({ status = 200, headers, body = [] }: Reply, response: ServerResponse): void {
  const bodyText = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(bodyText);
}

/** Starts a server, which is closed at the end of the test file. Returns its origin. */
export async function serve(listener: RequestListener, server = createServer()): Promise<string> {
  server.on('request', listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A reply with an error of the service. */
export const errorReply = (status: number, code: string, message = `it is ${code}`): Reply => ({
  status,
  body: { code, message, status },
});

/** A page with a link to the next one. */
export const pageBefore = (next: string, body: unknown = [{ id: 1 }]): Reply => ({
  body,
  headers: { link: `<${next}>; rel="next"` },
});

/** Records to import, and the name of the one in a request. */
export const lines = (count: number) =>
  Array.from({ length: count }, (_, i) => `{"name":"${i + 1}","categoryId":1}\n`).join('');
export const named = ({ body }: Recorded): string => JSON.parse(body).name;
