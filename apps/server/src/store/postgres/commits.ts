import { randomUUID } from 'node:crypto';
import { StoreUnavailableError, StoreUncertainError } from '../errors.ts';
import type { Connections } from './connections.ts';
import { isRejection, isRepeatable, unavailable } from './errors.ts';
import type { Row, Session } from './session.ts';
import { fence, outcome, type Statement } from './statements.ts';

/**
 * The commits of one writer, each stored at most once. A broken connection leaves the outcome of a commit unknown. So each
 * commit stores its number with its writes, and the next connection, to any host, looks it up: a stored commit is
 * acknowledged, any other is fenced and sent again. Every connection commits something before its first use, so the outcome
 * that it finds is also on the standby.
 */
export class Commits {
  readonly #connections: Connections;
  readonly #timeoutMs: number;
  readonly #writer = randomUUID();
  #number = 0;

  /** A commit may take `timeoutMs`, and the same time again to find its outcome. */
  constructor(connections: Connections, timeoutMs: number) {
    this.#connections = connections;
    this.#timeoutMs = timeoutMs;
  }

  /** Runs a statement of writes, with the name of the commit before the values. Returns its row, if any. */
  async commit(statement: Statement, values: readonly unknown[]): Promise<Row | undefined> {
    const deadline = performance.now() + 2 * this.#timeoutMs;
    const left = () => Math.max(1, Math.min(this.#timeoutMs, Math.ceil(deadline - performance.now())));
    let unsettled: readonly [writer: string, number: number] | undefined;

    const attempt = async (session: Session): Promise<Row | undefined> => {
      const stored = unsettled && (await settle(session, unsettled, left()));
      if (stored) return stored;
      unsettled = [this.#writer, ++this.#number];
      try {
        const query = { ...statement, values: [...unsettled, ...values] };
        return (await session.write(query, left())).rows[0];
      } catch (error) {
        if (isRejection(error) || isRepeatable(error)) unsettled = undefined;
        throw error;
      }
    };

    for (;;) {
      try {
        return await this.#connections.use(attempt);
      } catch (error) {
        if (isRejection(error)) throw error;
        if (error instanceof StoreUnavailableError || performance.now() >= deadline)
          throw unsettled
            ? new StoreUncertainError('The outcome of the write is unknown.', { cause: error })
            : unavailable(error);
      }
    }
  }
}

/** The row of a stored commit. Fences a commit that was not stored. */
async function settle(session: Session, name: readonly unknown[], timeoutMs: number): Promise<Row | undefined> {
  const values = [...name];
  const fenced = await session.write({ ...fence, values }, timeoutMs);
  return fenced.rows.length > 0 ? undefined : (await session.run({ ...outcome, values }, timeoutMs)).rows[0];
}
