import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { allCollections } from '../../src/collections.ts';
import { handlers } from '../../src/handlers.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { listen } from '../listen.ts';

export interface Serving {
  port: number;
  apiKey: string;
  close(): Promise<unknown>;
}

/** A server with two pets. */
export async function serveDocs(): Promise<Serving> {
  const store = memoryStore(allCollections);
  await handlers(store).createPet({ name: 'Rex', categoryId: 2, status: 'available' });
  await handlers(store).createPet({ name: 'Tom', categoryId: 1 });
  const { origin, apiKey, close } = await listen({}, store);
  return { port: Number(new URL(origin).port), apiKey, close };
}

/** A plain reverse proxy that adds a prefix to the paths of a server. */
export async function serveUnder(prefix: string, target: Serving): Promise<Serving> {
  const server = createServer((request, response) => {
    const { method, headers, url = '/' } = request;
    const path = url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : '/nothing';
    const onward = forward({ host: '127.0.0.1', port: target.port, method, headers, path }, (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers);
      upstream.pipe(response);
    });
    request.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    apiKey: target.apiKey,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
