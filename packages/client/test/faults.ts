import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server does with one request. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => void;

export interface FaultyServer {
  baseUrl: string;
  /** The requests that arrived, in order. */
  requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  close(): Promise<void>;
}

/** A real server that treats its requests as told, one after the other; the last one told holds for all that follow. */
export async function faulty(...faults: Fault[]): Promise<FaultyServer> {
  const requests: FaultyServer['requests'] = [];
  const server = createServer(async (request, response) => {
    const fault = faults[Math.min(requests.length, faults.length - 1)] ?? pets;
    const arrived = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body: '' };
    requests.push(arrived);
    for await (const chunk of request) arrived.body += chunk;
    fault(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers as told. */
export function answer(status: number, body: unknown = '', headers: Record<string, string> = {}): Fault {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };
}

export const rex = { id: 1, name: 'Rex', categoryId: 2 };
export const pets = answer(200, [rex]);
export const refuse = (status: number, code: string, headers = {}) =>
  answer(status, { code, message: `it is ${code}`, status }, headers);

/** Ends the connection without an answer. */
export const dropBefore: Fault = (request) => request.socket.destroy();

/** Ends the connection in the middle of the body. */
export const dropIn: Fault = (request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('[{"id":1', () => request.socket.destroy());
};

/** Ends the connection once the whole answer is out. */
export const dropAfter: Fault = (request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('[]', () => request.socket.destroySoon());
};

/** Never answers. */
export const slowHeaders: Fault = () => {};

/** Begins to answer, and never ends. */
export const slowBody: Fault = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('[');
};
