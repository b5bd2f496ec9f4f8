import { StoreUnavailableError } from '../errors.ts';
import { ALL_IN_USE, type ConnectionPool } from './connection-pool.ts';
import { isLostConnection, unavailable } from './errors.ts';
import type { Row } from './session.ts';
import type { Statement } from './statements.ts';

interface Waiting {
  statement: Statement;
  values: readonly unknown[];
  since: number;
  resolve(row: Row): void;
  reject(error: unknown): void;
}

interface ReadOptions {
  /** The largest number of groups that run at once, one on each connection. */
  size: number;
  connectTimeout: number;
  statementTimeout: number;
}

/** Bounds memory: each read may be a page of a megabyte, and each connection may have a group. */
const MAX_GROUP_READS = 8;

/** How often a read is sent in total if its connection breaks. A new connection leads to the current host. */
const MAX_ATTEMPTS = 3;

/**
 * Groups reads that wait while every connection is busy, so they share a round trip, its messages and their parsing. A group
 * has one statement, which takes an array for each parameter and returns one row for each read.
 */
export class GroupRead {
  readonly #connections: ConnectionPool;
  readonly #options: ReadOptions;
  #waiting: Waiting[] = [];
  #running = 0;

  constructor(connections: ConnectionPool, options: ReadOptions) {
    this.#connections = connections;
    this.#options = options;
  }

  /** Returns the statement's row for these values. */
  read(statement: Statement, values: readonly unknown[]): Promise<Row> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statement, values, since: performance.now(), resolve, reject });
      if (this.#running < this.#options.size) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running++;
    for (let group = this.#nextGroup(); group[0]; group = this.#nextGroup()) await this.#readGroup(group, group[0]);
    this.#running--;
  }

  /** Takes the first waiting read and others with the same statement. Rejects reads that have waited too long. */
  #nextGroup(): Waiting[] {
    const oldest = performance.now() - this.#options.connectTimeout;
    const group: Waiting[] = [];
    const others: Waiting[] = [];
    for (const one of this.#waiting) {
      if (one.since < oldest) one.reject(new StoreUnavailableError(ALL_IN_USE));
      else if (group.length < MAX_GROUP_READS && one.statement === (group[0] ?? one).statement) group.push(one);
      else others.push(one);
    }
    this.#waiting = others;
    return group;
  }

  async #readGroup(group: readonly Waiting[], { statement, values }: Waiting): Promise<void> {
    const query = { ...statement, values: values.map((_, i) => group.map((one) => one.values[i])) };
    for (let attempt = 1; ; attempt++) {
      try {
        const { rows } = await this.#connections.use((session) => session.run(query, this.#options.statementTimeout));
        for (const [i, { resolve }] of group.entries()) resolve(rows[i] ?? []);
        return;
      } catch (error) {
        if (!(error instanceof StoreUnavailableError) && attempt < MAX_ATTEMPTS && isLostConnection(error)) continue;
        for (const { reject } of group) reject(unavailable(error));
        return;
      }
    }
  }
}
