import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { childrenOf } from '@petstore/testing';
import type { ServerProcess } from '@petstore/testing/server';
import { expect, onTestFinished } from 'vitest';
import { get, type RequestError } from '../requests.ts';
import { startOnDatabase } from '../server-process.ts';

export interface Entry extends Record<string, unknown> {
  msg?: string;
  pid: number;
}

export interface ClusterProcess extends ServerProcess {
  /** The process identifiers of its workers. */
  workers(): Promise<number[]>;
  /** What it has logged so far; a line that is not whole fails. */
  entries(): Entry[];
}

/** A server with two workers on this database. */
export async function startCluster(databaseUrl: string, env: Record<string, string> = {}): Promise<ClusterProcess> {
  const server = await startOnDatabase(databaseUrl, {
    PETSTORE_WORKERS: '2',
    PETSTORE_LOG_LEVEL: 'info',
    // Long, so that no request fails because the machine is busy.
    PETSTORE_DATABASE_CONNECT_TIMEOUT: '600',
    PETSTORE_DATABASE_STATEMENT_TIMEOUT: '600',
    ...env,
  });
  onTestFinished(() => server.kill());
  const lines = () => server.stdout().split('\n').slice(0, -1);
  return {
    ...server,
    workers: () => childrenOf(server.child.pid ?? 0),
    entries: () => lines().map((line) => JSON.parse(line)),
  };
}

/** The value of a metric of the server, or of one series of it. */
export async function metric(server: ServerProcess, name: string): Promise<number> {
  const { text } = await get(`${server.origin}/metrics`);
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.split(' ').at(-1) ?? Number.NaN);
}

/** Whether a process still runs. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Resolves when these processes have ended. */
export async function gone(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
}

/** A connection that has sent these bytes. */
export async function openConnection(server: ServerProcess, bytes = ''): Promise<Socket> {
  const { hostname, port } = new URL(server.origin);
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  if (bytes) socket.write(bytes);
  return socket;
}

/** Clients that send requests continuously over keep-alive connections and never retry. An expected error ends a client. */
export class Clients {
  served = 0;
  readonly errors: string[] = [];
  #isStopped = false;
  readonly #all: Promise<unknown>;

  constructor(url: string, count: number, isExpected = (_error: RequestError) => false) {
    this.#all = Promise.all(Array.from({ length: count }, () => this.#sendAll(url, isExpected)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#all;
  }

  /** Resolves when this many more requests got a response. */
  async more(count: number): Promise<void> {
    const goal = this.served + count;
    await expect.poll(() => this.served >= goal || this.errors.length > 0).toBe(true);
  }

  async #sendAll(url: string, isExpected: (error: RequestError) => boolean): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!this.#isStopped) {
      try {
        const { status, text } = await get(url, agent);
        if (status === 200) this.served++;
        else this.errors.push(`${status} ${text}`);
      } catch (error) {
        if (isExpected(error as RequestError)) break;
        this.errors.push(String(error));
      }
    }
    agent.destroy();
  }
}
