import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailableError } from '../errors.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { isConnectionUsable, isOutOfResources, isRejection, isRepeatable, unavailable, uncertain } from './errors.ts';
import type { Row, Session } from './session.ts';
import { fence, outcome, type Statement } from './statements.ts';

/**
 * Runs a statement of writes. Adds the writer and the number of the commit before the values. Returns its row, if any. Rejects with a
 * StoreUncertainError if the commit may have been stored.
 */
export type RunCommit = (statement: Statement, values: readonly unknown[]) => Promise<Row | undefined>;

/** How long a commit that conflicts with others is repeated, and the pause before each attempt. */
const CONFLICT_MS = { retry: 1_000, pause: 20 };

/**
 * Sends the commits of one writer, and stores each commit at most once. If a connection breaks during a commit, the outcome of the
 * commit is unknown. Therefore each commit stores its number with its writes, and the next connection, to any host, looks the
 * number up: a stored commit is acknowledged, any other commit is fenced and sent again. Every connection commits an update before
 * its first use, so a stored commit that it finds is also on the standby.
 *
 * A statement may take `timeoutMs`. After twice this time, including waits for connections, the commit is not tried again.
 */
export function idempotentCommit(connections: ConnectionPool, timeoutMs: number): RunCommit {
  const writer = randomUUID();
  let number = 0;
  let previous: Promise<unknown> = Promise.resolve();

  // The database remembers only the last commit of a writer, so each commit begins when the previous one has ended.
  return (statement, values) => {
    const result = previous.then(() => commit(statement, values));
    previous = result.catch(() => {});
    return result;
  };

  async function commit(statement: Statement, values: readonly unknown[]): Promise<Row | undefined> {
    const deadline = performance.now() + 2 * timeoutMs;
    const remainingMs = () => Math.max(1, Math.min(timeoutMs, Math.ceil(deadline - performance.now())));
    /** The commit whose outcome is unknown. */
    let pending: readonly [writer: string, number: number] | undefined;

    const attempt = async (session: Session): Promise<Row | undefined> => {
      const storedRow = pending && (await fenceUnlessStored(session, pending, remainingMs()));
      if (storedRow) return storedRow;
      pending = [writer, ++number];
      try {
        const query = { ...statement, values: [...pending, ...values] };
        return (await session.write(query, remainingMs())).rows[0];
      } catch (error) {
        if (isOutOfResources(error)) await rejectIfStored(session, pending, remainingMs(), error);
        if (isRejection(error) || isRepeatable(error) || isOutOfResources(error)) pending = undefined;
        throw error;
      }
    };

    let conflictDeadline = Number.POSITIVE_INFINITY;
    for (;;) {
      try {
        return await connections.use(attempt);
      } catch (error) {
        const isFinal = isRejection(error) || error instanceof StoreUnavailableError || performance.now() >= deadline;
        if (isFinal) throw pending ? uncertain(error) : unavailable(error);
        if (!isConnectionUsable(error)) continue;
        conflictDeadline = Math.min(conflictDeadline, performance.now() + CONFLICT_MS.retry);
        const isHopeless = isOutOfResources(error) || performance.now() >= conflictDeadline;
        if (isHopeless && !pending) throw unavailable(error);
        await pause(CONFLICT_MS.pause);
      }
    }
  }
}

/** Returns the row of a commit that was stored. Fences any other commit, so it cannot be stored later. */
async function fenceUnlessStored(
  session: Session,
  commit: readonly unknown[],
  timeoutMs: number,
): Promise<Row | undefined> {
  const values = [...commit];
  const fenced = await session.write({ ...fence, values }, timeoutMs);
  return fenced.rows.length > 0 ? undefined : (await session.run({ ...outcome, values }, timeoutMs)).rows[0];
}

/**
 * Rejects if the database stored the commit, although it reported an error. Rejecting makes the pool connect again: a new connection
 * waits for the standby before its first use, so the next attempt can acknowledge the commit.
 */
async function rejectIfStored(
  session: Session,
  commit: readonly unknown[],
  timeoutMs: number,
  cause: unknown,
): Promise<void> {
  const { rows } = await session.run({ ...outcome, values: [...commit] }, timeoutMs);
  if (rows.length > 0) throw new Error('the database reported an error after the commit', { cause });
}
