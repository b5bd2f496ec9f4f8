import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onCleanup } from './cleanup.ts';

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

type Outcome = Reply | 'hang' | 'break';

/** A server that records its requests, and replies as a function decides. */
export async function record(replyTo: (request: Recorded, count: number) => Outcome | Promise<Outcome>) {
  const requests: Recorded[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    const recorded = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    requests.push(recorded);
    const reply = await replyTo(recorded, requests.length);
    if (reply === 'hang') return;
    if (reply === 'break') return void request.socket.destroy();
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? []);
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers }).end(text);
  });
  const port = await listen(server);
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  return { requests, baseUrl, port, env: { PETCTL_BASE_URL: baseUrl, PETCTL_API_KEY: 'k'.repeat(20) } };
}

/** Starts a server, which is closed at the end of the test file. Returns its port. */
export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onCleanup(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Replies like a service with these pets: with all of them, those of a status, or one. */
export const serving =
  (pets: readonly { id: number; status?: string }[]) =>
  ({ url }: Pick<Recorded, 'url'>): Reply => {
    const [path = '', query] = url.split('?');
    const [, id] = /\/pets\/(\d+)$/.exec(path) ?? [];
    if (id) return { body: pets.find((pet) => pet.id === Number(id)) };
    const status = new URLSearchParams(query).get('status');
    return { body: pets.filter((pet) => status === null || pet.status === status) };
  };

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
