import { randomUUID } from 'node:crypto';
import { StoreUnavailableError, StoreUncertainError } from '../errors.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { isRejection, isRepeatable, unavailable } from './errors.ts';
import type { Row, Session } from './session.ts';
import { fence, outcome, type Statement } from './statements.ts';

/**
 * Sends the commits of one writer, and each is stored at most once. A broken connection leaves a commit's outcome unknown.
 * Therefore each commit stores its number with its writes, and the next connection, to any host, looks it up: a stored commit
 * is acknowledged, any other is fenced and sent again. Every connection commits something before its first use, so the outcome
 * that it finds is also on the standby.
 */
export class IdempotentCommit {
  readonly #connections: ConnectionPool;
  readonly #timeoutMs: number;
  readonly #writer = randomUUID();
  #number = 0;

  /** A commit may take `timeoutMs`, and finding its outcome as long again. */
  constructor(connections: ConnectionPool, timeoutMs: number) {
    this.#connections = connections;
    this.#timeoutMs = timeoutMs;
  }

  /** Runs a statement of writes. Its first two values are the writer and the number of the commit. Returns its row, if any. */
  async run(statement: Statement, values: readonly unknown[]): Promise<Row | undefined> {
    const deadline = performance.now() + 2 * this.#timeoutMs;
    const left = () => Math.max(1, Math.min(this.#timeoutMs, Math.ceil(deadline - performance.now())));
    let pending: readonly [writer: string, number: number] | undefined;

    const attempt = async (session: Session): Promise<Row | undefined> => {
      const stored = pending && (await settle(session, pending, left()));
      if (stored) return stored;
      pending = [this.#writer, ++this.#number];
      try {
        const query = { ...statement, values: [...pending, ...values] };
        return (await session.write(query, left())).rows[0];
      } catch (error) {
        if (isRejection(error) || isRepeatable(error)) pending = undefined;
        throw error;
      }
    };

    for (;;) {
      try {
        return await this.#connections.use(attempt);
      } catch (error) {
        if (isRejection(error)) throw error;
        if (error instanceof StoreUnavailableError || performance.now() >= deadline)
          throw pending
            ? new StoreUncertainError('The outcome of the write is unknown.', { cause: error })
            : unavailable(error);
      }
    }
  }
}

/** Returns the row of a stored commit. Fences a commit that was not stored. */
async function settle(session: Session, commit: readonly unknown[], timeoutMs: number): Promise<Row | undefined> {
  const values = [...commit];
  const fenced = await session.write({ ...fence, values }, timeoutMs);
  return fenced.rows.length > 0 ? undefined : (await session.run({ ...outcome, values }, timeoutMs)).rows[0];
}
