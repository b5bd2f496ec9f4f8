import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { createServer as createVite } from 'vite';

/** A server of the pages of a folder. */
export interface Pages {
  readonly port: number;
  close(): Promise<void>;
}

const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };

/** Serves the files of a folder as they are. */
export async function files(folder: string): Promise<Pages> {
  const server = createServer(async ({ url = '/' }, response) => {
    const path = url === '/' ? '/index.html' : url;
    const body = await readFile(join(folder, path)).catch(() => undefined);
    if (body) response.setHeader('content-type', types[extname(path)] ?? 'text/plain').end(body);
    else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Serves a folder with Vite, to pages that call it by this name. */
export async function vite(root: string, host: string): Promise<Pages> {
  const server = await createVite({
    root,
    configFile: false,
    logLevel: 'error',
    server: { host: '127.0.0.1', port: 0, allowedHosts: [host] },
  });
  await server.listen();
  const { port } = (server.httpServer as HttpServer).address() as AddressInfo;
  return { port, close: () => server.close() };
}
