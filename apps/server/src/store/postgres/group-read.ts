import { StoreUnavailableError } from '../errors.ts';
import type { ConnectionPool } from './connection-pool.ts';
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
  /** The largest number of groups that run at once: one for each connection. */
  maxGroups: number;
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

/** Runs a statement with these values, and returns its row. */
export type Read = (statement: Statement, values: readonly unknown[]) => Promise<Row>;

/**
 * Groups reads that wait while every connection is busy, so they share a round trip, its messages and their parsing. A group
 * has one statement, which takes an array for each parameter and returns one row for each read.
 */
export function groupRead(
  connections: ConnectionPool,
  { maxGroups, connectTimeout, statementTimeout }: ReadOptions,
): Read {
  let waiting: WaitingRead[] = [];
  let running = 0;

  return (statement, values) =>
    new Promise((resolve, reject) => {
      waiting.push({ statement, values, since: performance.now(), resolve, reject });
      if (running < maxGroups) void run();
    });

  async function run(): Promise<void> {
    running++;
    for (let group = nextGroup(); group[0]; group = nextGroup()) await readGroup(group, group[0]);
    running--;
  }

  /** Takes the first waiting read, and further reads with the same statement. Rejects reads that have waited too long. */
  function nextGroup(): WaitingRead[] {
    const oldest = performance.now() - connectTimeout;
    const group: WaitingRead[] = [];
    const remaining: WaitingRead[] = [];
    for (const read of waiting) {
      if (read.since < oldest) read.reject(allInUse());
      else if (group.length < MAX_GROUP_READS && read.statement === (group[0] ?? read).statement) group.push(read);
      else remaining.push(read);
    }
    waiting = remaining;
    return group;
  }

  async function readGroup(group: readonly WaitingRead[], { statement, values }: WaitingRead): Promise<void> {
    const query = { ...statement, values: values.map((_, i) => group.map((read) => read.values[i])) };
    for (let attempt = 1; ; attempt++) {
      try {
        const { rows } = await connections.use((session) => session.run(query, statementTimeout));
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

const allInUse = () =>
  new StoreUnavailableError('All database connections are in use. Retry later, or raise --database-pool.');
