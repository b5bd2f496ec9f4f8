import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServerProcess } from '@petstore/testing/server';
import { onTestFinished } from 'vitest';
import { get } from '../requests.ts';

const CHECK_MS = 100;

interface Backend {
  server: ServerProcess;
  isReady: boolean;
}

/** A load balancer: it forwards each connection to one of the servers that were ready at the last check, in turns. */
export class LoadBalancer {
  readonly #backends = new Map<ServerProcess, Backend>();
  #turn = 0;
  #isClosed = false;

  /** Listens, and returns its origin. */
  async listen(): Promise<string> {
    const listener = createServer((client) => {
      const ready = [...this.#backends.values()].filter(({ isReady }) => isReady);
      const backend = ready[this.#turn++ % ready.length];
      if (!backend) return void client.destroy();
      const { hostname, port } = new URL(backend.server.origin);
      const server = connect(Number(port), hostname);
      client.on('error', () => server.destroy()).on('close', () => server.destroy());
      server.on('error', () => client.destroy()).on('close', () => client.destroy());
      client.pipe(server).pipe(client);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => {
      this.#isClosed = true;
      listener.close();
    });
    await once(listener, 'listening');
    return `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  }

  /** Checks this server from now on; resolves when it gets connections. */
  async add(server: ServerProcess): Promise<void> {
    const backend = { server, isReady: false };
    this.#backends.set(server, backend);
    void this.#check(backend);
    while (!backend.isReady) await pause(CHECK_MS);
  }

  remove(server: ServerProcess): void {
    this.#backends.delete(server);
  }

  async #check(backend: Backend): Promise<void> {
    while (!this.#isClosed && this.#backends.has(backend.server)) {
      const response = await get(`${backend.server.origin}/readyz`).catch(() => undefined);
      backend.isReady = response?.status === 200;
      await pause(CHECK_MS);
    }
  }
}
