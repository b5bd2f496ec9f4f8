import { StoreUnavailableError } from '../errors.ts';
import type { Connections } from './connections.ts';
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
  /** Groups that run at once, at most: one on each connection. */
  size: number;
  connectTimeout: number;
  statementTimeout: number;
}

/** Reads in one group. Each may be a page of a megabyte, and every connection may hold a group. */
const MAX_GROUP = 8;

/** A read whose connection broke is sent this often in all; a new connection leads to whichever host is right by then. */
const MAX_ATTEMPTS = 3;

/**
 * Reads, which share a round trip, its messages and their parsing while every connection is busy. A group has one statement,
 * which takes an array for each parameter and returns one row for each read.
 */
export class GroupRead {
  readonly #connections: Connections;
  readonly #options: ReadOptions;
  #waiting: Waiting[] = [];
  #running = 0;

  constructor(connections: Connections, options: ReadOptions) {
    this.#connections = connections;
    this.#options = options;
  }

  /** The row that the statement returns for these values. */
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

  /** The first read and those that wait with the same statement, without those that have waited for too long. */
  #nextGroup(): Waiting[] {
    const oldest = performance.now() - this.#options.connectTimeout;
    const group: Waiting[] = [];
    const others: Waiting[] = [];
    for (const one of this.#waiting) {
      if (one.since < oldest) one.reject(new StoreUnavailableError('Every connection to the database is in use.'));
      else if (group.length < MAX_GROUP && one.statement === (group[0] ?? one).statement) group.push(one);
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
