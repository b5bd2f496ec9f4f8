import { setTimeout as pause } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';
import { StoreUnavailableError } from '../errors.ts';
import type { Connections } from '../store.ts';
import { isConnectionUsable, messageOf } from './errors.ts';
import { type Prepare, Session } from './session.ts';

/** The hosts of one database. */
export interface Hosts {
  readonly addresses: readonly string[];
  /** The index of the host that accepted writes last. */
  current: number;
}

interface ConnectionOptions {
  /** The largest number of connections. */
  size: number;
  /** The longest time in milliseconds for which a caller waits for a connection, and in which a host must accept one. */
  connectTimeout: number;
  /** Called with every new connection before its first use. */
  prepare: Prepare;
}

interface Outage {
  /** The time of the first failed attempt to connect. */
  since: number | undefined;
  cause: unknown;
  /** Resolves when a host has accepted a connection again, or the pool is closed. */
  over: Promise<void>;
}

export const ALL_IN_USE = 'All database connections are in use. Retry later, or raise --database-pool.';

/** The time between two attempts to reach the database. */
const RETRY_MS = { first: 50, max: 500 };

/**
 * A pool of connections to the host that accepts writes. pg's own pool supports one host, and fails immediately if it cannot
 * connect. This class tries all hosts instead, and callers wait meanwhile. Once an outage has lasted for the connect timeout,
 * callers are rejected immediately.
 */
export class ConnectionPool {
  /** Resolves when a host has accepted a connection, or when every host has failed once. */
  readonly tried: Promise<void>;
  readonly #hosts: Hosts;
  readonly #options: ConnectionOptions;
  #pool: Pool;
  #poolHost: number;
  #opening = 0;
  #outage: Outage | undefined;
  #isClosed = false;

  constructor(hosts: Hosts, options: ConnectionOptions) {
    this.#hosts = hosts;
    this.#options = options;
    this.#poolHost = hosts.current;
    this.#pool = this.#newPool();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.tried = promise;
    this.#reconnect(new Error('no host has accepted a connection yet'), resolve);
  }

  get isConnected(): boolean {
    return !this.#isClosed && this.#outage === undefined;
  }

  get counts(): Connections {
    const { totalCount, idleCount: idle, waitingCount: waiting } = this.#pool;
    return { idle, busy: Math.max(0, totalCount - idle - this.#opening), opening: this.#opening, waiting };
  }

  /** Runs work on a connection. If the connection breaks, all connections to its host are replaced. */
  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const client = await this.#acquire();
    const pool = this.#pool;
    let connectionError: unknown;
    try {
      // The pool creates clients of the class in its options, so each client is a Session.
      return await work(client as unknown as Session);
    } catch (error) {
      if (!isConnectionUsable(error)) connectionError = error;
      throw error;
    } finally {
      client.release(connectionError !== undefined);
      if (connectionError !== undefined && pool === this.#pool) {
        this.#replacePool(this.#poolHost);
        this.#reconnect(connectionError);
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    void this.#pool.end();
  }

  async #acquire(): Promise<PoolClient> {
    // During an outage the time counts from its start, so later callers do not wait as long again.
    const deadline = (this.#outage?.since ?? performance.now()) + this.#options.connectTimeout;
    for (;;) {
      if (this.#isClosed) throw new StoreUnavailableError('The store is closed.');
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0) throw this.#noConnection();
      if (this.#outage) {
        await withTimeout(remainingMs, this.#outage.over);
        continue;
      }
      const connecting = this.#connect(this.#hosts.current);
      try {
        const client = await withTimeout(remainingMs, connecting);
        if (client) return client;
        // If the connection opens after the timeout, no caller waits for it, so it goes back to the pool.
        connecting.then((late) => late.release()).catch(() => {});
      } catch (error) {
        this.#reconnect(error);
      }
    }
  }

  /** Connects to a host, and makes it the current host. */
  async #connect(host: number): Promise<PoolClient> {
    if (this.#poolHost !== host) this.#replacePool(host);
    const isNew = this.#pool.idleCount === 0;
    if (isNew) this.#opening++;
    try {
      const client = await this.#pool.connect();
      this.#hosts.current = host;
      return client;
    } catch (error) {
      throw new Error(`${hostOf(this.#hosts.addresses[host] ?? '')}: ${messageOf(error)}`, { cause: error });
    } finally {
      if (isNew) this.#opening--;
    }
  }

  /** Starts an outage: tries every host in turn until one accepts a connection, while callers wait. */
  #reconnect(cause: unknown, onTried = () => {}): void {
    if (this.#outage) return;
    const outage: Outage = { since: undefined, cause, over: Promise.resolve() };
    this.#outage = outage;
    outage.over = this.#tryHosts(outage, onTried);
  }

  async #tryHosts(outage: Outage, onTried: () => void): Promise<void> {
    const { addresses, current } = this.#hosts;
    for (let wait = RETRY_MS.first; !this.#isClosed; wait = Math.min(2 * wait, RETRY_MS.max)) {
      const failures: string[] = [];
      for (let i = 0; i < addresses.length && !this.#isClosed; i++) {
        try {
          (await this.#connect((current + i) % addresses.length)).release();
          this.#outage = undefined;
          return onTried();
        } catch (error) {
          outage.since ??= performance.now();
          failures.push(messageOf(error));
          outage.cause = new Error(failures.join('; '), { cause: error });
        }
      }
      onTried();
      await pause(wait);
    }
  }

  #newPool(): Pool {
    const { size, connectTimeout, prepare } = this.#options;
    const pool = new Pool({
      connectionString: this.#hosts.addresses[this.#poolHost],
      application_name: 'petstore-server',
      keepAlive: true,
      max: size,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: connectTimeout,
      Client: Session,
      onConnect: (client) => prepare(client as Session),
    });
    // The pool removes a connection that breaks while it is idle. Without a listener, the error would end the process.
    return pool.on('error', () => {});
  }

  #replacePool(host: number): void {
    if (!this.#isClosed) void this.#pool.end();
    this.#poolHost = host;
    this.#pool = this.#newPool();
  }

  #noConnection(): StoreUnavailableError {
    const { cause } = this.#outage ?? {};
    const message = cause === undefined ? ALL_IN_USE : `There is no connection to the database (${messageOf(cause)}).`;
    return new StoreUnavailableError(message, { cause });
  }
}

/** Returns the result of the work, or undefined if the time is over before. */
async function withTimeout<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, milliseconds, undefined);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The host and port of an address, without credentials. */
export function hostOf(address: string): string {
  return address.replace(/^[^:]+:\/\/(?:[^@/?#]*@)?([^/?]*).*$/s, '$1') || 'the local socket';
}
