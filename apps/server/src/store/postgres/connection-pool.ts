import { setTimeout as pause } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';
import { StoreUnavailableError } from '../errors.ts';
import type { Connections } from '../store.ts';
import { isConnectionUsable, messageOf } from './errors.ts';
import { type Prepare, Session } from './session.ts';

/** The hosts of a database. */
export interface Hosts {
  /** The connection URL of each host. */
  readonly urls: readonly string[];
  /** The index of the host that all pools use: at first 0, then the last one that a pool found writable. */
  current: number;
}

interface ConnectionOptions {
  /** The largest number of connections. */
  size: number;
  /** The most milliseconds that a caller waits for a prepared connection, and that a host may take to accept a connection. */
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

/** The time between two attempts to reach the database. */
const RETRY_MS = { first: 50, max: 500 };

export type ConnectionPool = ReturnType<typeof connectionPool>;

/**
 * A pool of connections to the host that accepts writes. pg's own pool supports one host, and fails immediately if it cannot
 * connect. This pool tries all hosts instead, and callers wait meanwhile. When the connect timeout has passed since the first
 * failed attempt, callers are rejected immediately.
 */
export function connectionPool(hosts: Hosts, { size, connectTimeout, prepare }: ConnectionOptions) {
  let poolHost = hosts.current;
  let pool = newPool();
  let opening = 0;
  let outage: Outage | undefined;
  let isClosed = false;
  /** A function for each caller that waits for a connection of the pool: it ends the wait. They are called when the pool is replaced. */
  const cancelWaits = new Set<() => void>();
  const { promise: firstAttempt, resolve: onAttempted } = Promise.withResolvers<void>();
  reconnect(new Error('no host has accepted a connection yet'));

  return {
    /** Resolves when a host has accepted a connection, or when every host has failed once. */
    firstAttempt,
    isConnected: () => !isClosed && outage === undefined,
    counts: (): Connections => {
      const { totalCount, idleCount: idle, waitingCount: waiting } = pool;
      return { idle, busy: Math.max(0, totalCount - idle - opening), opening, waiting };
    },
    /** Runs work on a connection. If the connection breaks, all connections of the pool are replaced. */
    use: async <T>(work: (session: Session) => Promise<T>): Promise<T> => {
      const client = await acquire();
      const usedPool = pool;
      try {
        // The pool creates clients of the class in its options, so each client is a Session.
        const result = await work(client as unknown as Session);
        client.release();
        return result;
      } catch (error) {
        const isBroken = !isConnectionUsable(error);
        client.release(isBroken);
        if (isBroken && usedPool === pool) {
          replacePool(poolHost);
          reconnect(error);
        }
        throw error;
      }
    },
    close: () => {
      isClosed = true;
      void pool.end();
    },
  };

  async function acquire(): Promise<PoolClient> {
    // During an outage, the time counts from the first failed attempt, so later callers do not wait as long again.
    const deadline = (outage?.since ?? performance.now()) + connectTimeout;
    for (;;) {
      if (isClosed) throw new StoreUnavailableError('The store is closed.');
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0) throw noConnection();
      if (outage) {
        await withTimeout(remainingMs, outage.over);
        continue;
      }
      const isNew = poolHost !== hosts.current || opensNew();
      // This may replace the pool.
      const connecting = connect(hosts.current);
      const usedPool = pool;
      // The failure if the caller's time ends before the host responds.
      let failure: unknown = new Error(`${hostOf(hosts.urls[poolHost] ?? '')}: no response`);
      try {
        const client = await withTimeout(remainingMs, connecting, cancelWaits);
        if (client) return client;
        // If the connection opens later, no caller waits for it, so it goes back to its pool.
        connecting.then((late) => late.release()).catch(() => {});
      } catch (error) {
        failure = error;
      }
      // A failed wait for a busy connection says nothing about the host, whether this function or pg's pool ended it.
      if (isNew && usedPool === pool) reconnect(failure);
    }
  }

  /** Whether the pool opens a connection for the next caller, who otherwise gets an idle one or waits for a busy one. */
  function opensNew(): boolean {
    // In the next tick, pg's pool gives idle connections to waiting callers. If `unserved` < 0, some connections stay idle.
    const unserved = pool.waitingCount - pool.idleCount;
    return unserved >= 0 && pool.totalCount + unserved < size;
  }

  /** Connects to a host, and makes it the current host, unless another one was chosen meanwhile. */
  async function connect(host: number): Promise<PoolClient> {
    const { current } = hosts;
    if (poolHost !== host) replacePool(host);
    const isNew = opensNew();
    if (isNew) opening++;
    try {
      const client = await pool.connect();
      if (hosts.current === current) hosts.current = host;
      return client;
    } catch (error) {
      throw new Error(`${hostOf(hosts.urls[host] ?? '')}: ${messageOf(error)}`, { cause: error });
    } finally {
      if (isNew) opening--;
    }
  }

  /** Starts an outage: tries every host in turn until one accepts a connection, while callers wait. */
  function reconnect(cause: unknown): void {
    if (outage) return;
    outage = { since: undefined, cause, over: Promise.resolve() };
    // Nothing reads the promise before it is replaced here.
    outage.over = tryHosts(outage);
  }

  async function tryHosts(started: Outage): Promise<void> {
    const { urls, current: firstHost } = hosts;
    for (let wait = RETRY_MS.first; !isClosed; wait = Math.min(2 * wait, RETRY_MS.max)) {
      const failures: string[] = [];
      for (let i = 0; i < urls.length && !isClosed; i++) {
        try {
          (await connect((firstHost + i) % urls.length)).release();
          outage = undefined;
          return onAttempted();
        } catch (error) {
          started.since ??= performance.now();
          failures.push(messageOf(error));
          started.cause = new Error(failures.join('; '), { cause: error });
        }
      }
      onAttempted();
      await pause(wait);
    }
  }

  function newPool(): Pool {
    const created = new Pool({
      connectionString: hosts.urls[poolHost],
      application_name: 'petstore-server',
      keepAlive: true,
      max: size,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: connectTimeout,
      Client: Session,
      onConnect: (client) => prepare(client as Session),
    });
    // The pool removes a connection that breaks while it is idle. Without a listener, the error would end the process.
    return created.on('error', () => {});
  }

  function replacePool(host: number): void {
    if (!isClosed) void pool.end();
    poolHost = host;
    pool = newPool();
    for (const cancel of cancelWaits) cancel();
  }

  function noConnection(): StoreUnavailableError {
    const { cause } = outage ?? {};
    // Without an outage, only writes wait here, for the one connection of their pool. Reads wait in `groupRead`.
    const message =
      cause === undefined
        ? 'Earlier writes take too long. Retry later.'
        : `There is no connection to the database (${messageOf(cause)}). Check the database and DATABASE_URL.`;
    return new StoreUnavailableError(message, { cause });
  }
}

/** Returns the result of the work; undefined if the time is up first, or if the function that this adds to `cancels` is called. */
async function withTimeout<T>(
  milliseconds: number,
  work: Promise<T>,
  cancels = new Set<() => void>(),
): Promise<T | undefined> {
  const { promise: ended, resolve } = Promise.withResolvers<undefined>();
  const cancel = () => resolve(undefined);
  const timer = setTimeout(cancel, milliseconds);
  cancels.add(cancel);
  return Promise.race([work, ended]).finally(() => {
    clearTimeout(timer);
    cancels.delete(cancel);
  });
}

/** The host and port of a connection URL, without credentials. */
export function hostOf(url: string): string {
  return url.replace(/^[^:]+:\/\/(?:[^@/?#]*@)?([^/?]*).*$/s, '$1') || 'the local socket';
}
