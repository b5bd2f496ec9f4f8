import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { whenOver } from './after-all.ts';

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

/** A server that writes down what arrives, and answers what a function makes of it. */
export async function record(reply: (request: Recorded, count: number) => Reply | 'hang' | 'break') {
  const requests: Recorded[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    const recorded = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    requests.push(recorded);
    const answer = reply(recorded, requests.length);
    if (answer === 'hang') return;
    if (answer === 'break') return void request.socket.destroy();
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? []);
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers }).end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  whenOver(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  return { requests, baseUrl, port, env: { PETCTL_BASE_URL: baseUrl, PETCTL_API_KEY: 'k'.repeat(20) } };
}

/** Answers as the service does where it has these pets: all of them, those of a status, or one. */
export const serving =
  (pets: readonly { id: number; status?: string }[]) =>
  ({ url }: Pick<Recorded, 'url'>): Reply => {
    const [path = '', query] = url.split('?');
    const [, id] = /\/pets\/(\d+)$/.exec(path) ?? [];
    if (id) return { body: pets.find((pet) => pet.id === Number(id)) };
    const status = new URLSearchParams(query).get('status');
    return { body: pets.filter((pet) => status === null || pet.status === status) };
  };

export const refused = (status: number, code: string, message = `it is ${code}`): Reply => ({
  status,
  body: { code, message, status },
});
