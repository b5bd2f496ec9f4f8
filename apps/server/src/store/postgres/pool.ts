import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailableError } from '../errors.ts';
import type { Connections } from '../store.ts';
import { leavesConnection } from './errors.ts';
import type { Hosts, Prepare } from './hosts.ts';
import type { Session } from './session.ts';

export interface PoolOptions {
  /** Connections at once, at most. */
  size: number;
  /** Milliseconds that somebody waits for a connection, and that one host has to accept one. */
  connectTimeout: number;
  /** Done with every new connection before it is used. */
  prepare: Prepare;
}

interface Waiting {
  take(session: Session): void;
  refuse(error: unknown): void;
}

/** Milliseconds between two attempts while the database cannot be reached: few enough to be back soon after it is. */
const retry = { first: 50, most: 500 };

/**
 * Connections that are kept for reuse. Where there is none, who needs one waits, and gets it as soon as the database is
 * there again; once the database was away for as long as anybody would wait, nobody waits for it any more.
 */
export class Pool {
  readonly #hosts: Hosts;
  readonly #options: PoolOptions;
  readonly #idle: Session[] = [];
  readonly #waiting: Waiting[] = [];
  #busy = 0;
  #opening = 0;
  #lost: { since: number; cause: unknown } | undefined;
  #wasConnected = false;
  readonly #firstAttempt = Promise.withResolvers<void>();
  #closed = false;

  constructor(hosts: Hosts, options: PoolOptions) {
    this.#hosts = hosts;
    this.#options = options;
  }

  /** Whether the last attempt to connect succeeded. */
  get connected(): boolean {
    return !this.#closed && this.#wasConnected && this.#lost === undefined;
  }

  /** Starts connecting before anybody asks for a session. Resolves when the first attempt has succeeded or failed. */
  async connect(): Promise<void> {
    void this.#open();
    await this.#firstAttempt.promise;
  }

  get connections(): Connections {
    return { idle: this.#idle.length, busy: this.#busy, opening: this.#opening, waiting: this.#waiting.length };
  }

  /** Does something with a session. One that it broke is not used again, nor are the others that lead where it led. */
  async lend<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#acquire();
    try {
      return await work(session);
    } catch (error) {
      if (!leavesConnection(error)) {
        session.end();
        this.#flush();
      }
      throw error;
    } finally {
      this.#busy--;
      this.#offer(session);
      this.#restore();
    }
  }

  close(): void {
    this.#closed = true;
    this.#firstAttempt.resolve();
    for (const { refuse } of this.#waiting.splice(0)) refuse(new StoreUnavailableError('The store is closed.'));
    this.#flush();
  }

  /** Ends what is not in use. */
  #flush(): void {
    for (const session of this.#idle.splice(0)) session.end();
  }

  async #acquire(): Promise<Session> {
    if (this.#closed) throw new StoreUnavailableError('The store is closed.');
    const session = this.#fresh();
    if (session) return this.#lend(session);
    const patience = this.#patience();
    if (patience <= 0) throw this.#refusal();
    const { promise, resolve, reject } = Promise.withResolvers<Session>();
    const waiting: Waiting = { take: resolve, refuse: reject };
    this.#waiting.push(waiting);
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      reject(this.#refusal());
    }, patience);
    this.#grow();
    return promise.finally(() => clearTimeout(timer));
  }

  /** Sees to it that there is a session before anybody asks: the first to ask after a failure finds out what holds. */
  #restore(): void {
    if (!this.#closed && this.#idle.length + this.#busy + this.#opening === 0) void this.#open();
  }

  #lend(session: Session): Session {
    this.#busy++;
    return session;
  }

  #fresh(): Session | undefined {
    for (let session = this.#idle.pop(); session; session = this.#idle.pop()) {
      if (!session.ended && this.#hosts.isCurrent(session)) return session;
      session.end();
    }
    return undefined;
  }

  #offer(session: Session): void {
    if (this.#closed || session.ended || !this.#hosts.isCurrent(session)) {
      session.end();
      return this.#grow();
    }
    const next = this.#waiting.shift();
    if (next) next.take(this.#lend(session));
    else this.#idle.push(session);
  }

  #grow(): void {
    // While the database is away one attempt is enough.
    const most = this.#lost ? 1 : this.#waiting.length;
    while (!this.#closed && this.#opening < most && this.#opening + this.#busy < this.#options.size) void this.#open();
  }

  /** Goes on until there is a session or the pool is closed. */
  async #open(): Promise<void> {
    this.#opening++;
    for (let wait = retry.first; !this.#closed; wait = Math.min(2 * wait, retry.most)) {
      const session = await this.#attempt();
      if (session) {
        this.#opening--;
        this.#offer(session);
        return this.#grow();
      }
      if (this.#opening > 1) break;
      await pause(wait);
    }
    this.#opening--;
  }

  async #attempt(): Promise<Session | undefined> {
    try {
      const { connectTimeout, prepare } = this.#options;
      const session = await this.#hosts.open(connectTimeout, prepare, (ended) => this.#drop(ended));
      this.#lost = undefined;
      this.#wasConnected = true;
      return session;
    } catch (error) {
      this.#lost = { since: this.#lost?.since ?? performance.now(), cause: error };
      return undefined;
    } finally {
      this.#firstAttempt.resolve();
    }
  }

  #drop(session: Session): void {
    const at = this.#idle.indexOf(session);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  #patience(): number {
    const { connectTimeout } = this.#options;
    return this.#lost ? this.#lost.since + connectTimeout - performance.now() : connectTimeout;
  }

  #refusal(): StoreUnavailableError {
    const { cause } = this.#lost ?? {};
    const reason = cause instanceof Error ? cause.message : 'every connection is in use';
    return new StoreUnavailableError(`There is no connection to the database (${reason}).`, { cause });
  }
}
