import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Options, petstore } from '../src/index.ts';

/** Responds to one request, or breaks its connection. */
export type Responder = (request: IncomingMessage, response: ServerResponse) => void;

export const rex = { id: 1, name: 'Rex', categoryId: 2 };
export const newPet = { name: 'Rex', categoryId: 2 };
export const pets = respond(200, [rex]);

/**
 * Starts a real server that closes when the test ends. Each request gets the next responder, and all
 * further ones get the last.
 */
export async function stubServer(...responders: Responder[]) {
  const requests: {
    method: string;
    url: string;
    headers: IncomingMessage['headers'];
    body: string;
  }[] = [];
  const server = createServer(async (request, response) => {
    const responder = responders[Math.min(requests.length, responders.length - 1)] ?? pets;
    const received = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: '',
    };
    requests.push(received);
    for await (const chunk of request) received.body += chunk;
    responder(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  onTestFinished(close);
  return {
    origin: `http://127.0.0.1:${port}`,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    close,
  };
}

/** A client of a stub server, which waits only milliseconds before a retry. */
export async function stubbed(responders: Responder[] = [], options: Options = {}) {
  const server = await stubServer(...responders);
  const { baseUrl } = server;
  const store = petstore({
    apiKey: 'k',
    baseUrl,
    retry: { base: 1, cap: 5 },
    on: { deprecated: false },
    ...options,
  });
  return { ...server, store };
}

/** Responds with a status, a body and headers. */
export function respond(
  status: number,
  body: unknown = '',
  headers: Record<string, string> = {},
): Responder {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };
}

/** Responds with an error of the service. */
export const respondError = (status: number, code: string, headers = {}) =>
  respond(status, { code, message: `it is ${code}`, status }, headers);

/** Closes the connection without a response. */
export const dropBefore: Responder = (request) => request.socket.destroy();

/** Closes the connection in the middle of the body. */
export const dropIn: Responder = (request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('[{"id":1', () => request.socket.destroy());
};

/** Never responds. */
export const noHeaders: Responder = () => {};

/** Sends the headers and the beginning of a body that never ends. */
export const endlessBody: Responder = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('[');
};
