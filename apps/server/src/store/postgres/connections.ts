import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { StoreUnavailableError } from '../errors.ts';
import type { Connections as Counts } from '../store.ts';
import { hostOf } from './address.ts';
import { leavesConnection, messageOf } from './errors.ts';
import { type Prepare, Session } from './session.ts';

/** The hosts of one database, and which of them took writes last. */
export interface Hosts {
  readonly addresses: readonly string[];
  current: number;
}

export interface ConnectionOptions {
  /** Connections at once, at most. */
  size: number;
  /** Milliseconds that a caller waits for a connection, and that one host has to accept one. */
  connectTimeout: number;
  /** Runs on every new connection before its first use. */
  prepare: Prepare;
}

interface Lease {
  session: Session;
  pool: Pool;
  release(destroy: boolean): void;
}

interface Outage {
  since: number;
  cause: unknown;
  /** When every host was tried once. */
  tried: Promise<void>;
  over: Promise<void>;
}

/** Milliseconds between two attempts while the database cannot be reached. */
const RETRY_MS = { first: 50, max: 500 };

/**
 * Connections to whichever host takes writes, in pg's own pool. A pool of pg knows one host, and fails at once where it
 * cannot connect. So this finds the host, and lets callers wait while the database is away. Once it was away for as long as
 * a caller waits, further callers are rejected at once.
 */
export class Connections {
  readonly #hosts: Hosts;
  readonly #options: ConnectionOptions;
  #pool: Pool;
  #poolHost: number;
  #opening = 0;
  #busy = 0;
  #outage: Outage | undefined;
  #wasConnected = false;
  #isClosed = false;

  constructor(hosts: Hosts, options: ConnectionOptions) {
    this.#hosts = hosts;
    this.#options = options;
    this.#poolHost = hosts.current;
    this.#pool = this.#newPool();
  }

  /** Whether the last attempt to connect succeeded. */
  get isConnected(): boolean {
    return !this.#isClosed && this.#wasConnected && this.#outage === undefined;
  }

  get counts(): Counts {
    return { idle: this.#pool.idleCount, busy: this.#busy, opening: this.#opening, waiting: this.#pool.waitingCount };
  }

  /** Opens a connection before anybody needs it. Resolves when every host was tried. */
  async open(): Promise<void> {
    if (this.#outage) return this.#outage.tried;
    try {
      (await this.#connect()).release(false);
    } catch (error) {
      await this.#lose(error).tried;
    }
  }

  /** Runs work on a connection. If that breaks it, the others to the same host are replaced, too. */
  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const { session, pool, release } = await this.#acquire();
    this.#busy++;
    let isUsable = true;
    try {
      return await work(session);
    } catch (error) {
      isUsable = leavesConnection(error);
      throw error;
    } finally {
      this.#busy--;
      release(!isUsable);
      if (!isUsable && pool === this.#pool && !this.#isClosed) {
        this.#replacePool(this.#poolHost);
        void this.open();
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    void this.#pool.end();
  }

  async #acquire(): Promise<Lease> {
    const started = this.#outage?.since ?? performance.now();
    for (;;) {
      if (this.#isClosed) throw new StoreUnavailableError('The store is closed.');
      const left = started + this.#options.connectTimeout - performance.now();
      if (left <= 0) throw this.#noConnection();
      if (this.#outage) {
        await within(left, this.#outage.over);
        continue;
      }
      const connecting = this.#connect();
      try {
        const lease = await within(left, connecting);
        if (lease) return lease;
        connecting.then(({ release }) => release(false)).catch(() => {});
      } catch (error) {
        if (!isQueueTimeout(error)) this.#lose(error);
      }
    }
  }

  /** A connection to this host, which is the current one from then on. */
  async #connect(host = this.#hosts.current): Promise<Lease> {
    if (this.#poolHost !== host) this.#replacePool(host);
    const pool = this.#pool;
    const isNew = pool.idleCount === 0;
    if (isNew) this.#opening++;
    try {
      const client = await pool.connect();
      this.#hosts.current = host;
      this.#wasConnected = true;
      // The pool makes its clients of the class that it was given.
      return { session: client as unknown as Session, pool, release: (destroy) => client.release(destroy) };
    } catch (error) {
      const name = hostOf(this.#hosts.addresses[host] ?? '');
      throw new Error(`${name}: ${messageOf(error)}`, { cause: error });
    } finally {
      if (isNew) this.#opening--;
    }
  }

  /** Records that there is no connection, and tries every host in turn until there is one. */
  #lose(cause: unknown): Outage {
    if (this.#outage) return this.#outage;
    const { promise: tried, resolve } = Promise.withResolvers<void>();
    const outage: Outage = { since: performance.now(), cause, tried, over: Promise.resolve() };
    this.#outage = outage;
    outage.over = this.#restore(outage, resolve);
    return outage;
  }

  async #restore(outage: Outage, onTried: () => void): Promise<void> {
    const { addresses, current } = this.#hosts;
    // The other hosts first: the current one has just failed.
    const order = addresses.map((_, i) => (current + 1 + i) % addresses.length);
    for (let wait = RETRY_MS.first; !this.#isClosed; wait = Math.min(2 * wait, RETRY_MS.max)) {
      const failures: string[] = [];
      for (const host of this.#isClosed ? [] : order) {
        try {
          (await this.#connect(host)).release(false);
          this.#outage = undefined;
          return onTried();
        } catch (error) {
          failures.push(messageOf(error));
          outage.cause = new Error(failures.join('; '), { cause: error });
        }
      }
      onTried();
      await pause(wait);
    }
    onTried();
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
    // A connection that breaks while nobody uses it is missed by nobody.
    return pool.on('error', () => {});
  }

  #replacePool(host: number): void {
    void this.#pool.end();
    this.#poolHost = host;
    this.#pool = this.#newPool();
  }

  #noConnection(): StoreUnavailableError {
    const { cause } = this.#outage ?? {};
    const reason = cause === undefined ? 'every connection is in use' : messageOf(cause);
    return new StoreUnavailableError(`There is no connection to the database (${reason}).`, { cause });
  }
}

/** What the work resolves to, or nothing if that takes longer. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, milliseconds, undefined);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Whether pg's pool had no free connection for too long, which says nothing about the host. */
function isQueueTimeout(error: unknown): boolean {
  return error instanceof Error && messageOf(error.cause) === 'timeout exceeded when trying to connect';
}
