import { StoreUnavailableError } from '../errors.ts';
import { ALL_IN_USE, type ConnectionPool } from './connection-pool.ts';
import { isLostConnection, unavailable } from './errors.ts';
import type { Row } from './session.ts';
import type { Statement } from './statements.ts';

/** A read that waits for a connection. */
interface WaitingRead {
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

/**
 * The largest number of reads in a group. It bounds memory: a read may be a page of a megabyte, and each connection may have a
 * group.
 */
const MAX_GROUP_READS = 8;

/** The number of times that a read is sent if its connection breaks. A new connection goes to the host that accepts writes now. */
const MAX_ATTEMPTS = 3;

/**
 * Groups reads that wait while every connection is busy, so they share a round trip, its messages and their parsing. A group
 * has one statement, which takes an array for each parameter and returns one row for each read.
 */
export class GroupRead {
  readonly #connections: ConnectionPool;
  readonly #options: ReadOptions;
  #waiting: WaitingRead[] = [];
  #running = 0;

  constructor(connections: ConnectionPool, options: ReadOptions) {
    this.#connections = connections;
    this.#options = options;
  }

  /** Runs the statement with these values, and returns its row. */
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

  /** Takes the first waiting read, and further reads with the same statement. Rejects reads that have waited too long. */
  #nextGroup(): WaitingRead[] {
    const oldest = performance.now() - this.#options.connectTimeout;
    const group: WaitingRead[] = [];
    const remaining: WaitingRead[] = [];
    for (const read of this.#waiting) {
      if (read.since < oldest) read.reject(new StoreUnavailableError(ALL_IN_USE));
      else if (group.length < MAX_GROUP_READS && read.statement === (group[0] ?? read).statement) group.push(read);
      else remaining.push(read);
    }
    this.#waiting = remaining;
    return group;
  }

  async #readGroup(group: readonly WaitingRead[], { statement, values }: WaitingRead): Promise<void> {
    const query = { ...statement, values: values.map((_, i) => group.map((read) => read.values[i])) };
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
