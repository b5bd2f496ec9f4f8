import { randomUUID } from 'node:crypto';
import type { NewPet } from '@petstore/types';
import { StoreUnavailableError, StoreUncertainError } from '../errors.ts';
import { isRefusal, isRepeatable, unavailable } from './errors.ts';
import type { Pool } from './pool.ts';
import type { Session } from './session.ts';
import { type CommitName, insertion, keptBefore, surrender } from './sql.ts';

/**
 * The commits of this process, each kept once at most. When a connection breaks, nobody knows whether what was sent was
 * kept. So a commit is noted under its number, together with its animals, and the next connection, to whichever host, looks
 * it up: it was kept and is acknowledged now, or it never will be and is sent again. No connection is lent before something
 * was kept over it: what is found there is also where commits have to be, on the standby that they wait for.
 */
export class Commits {
  readonly #pool: Pool;
  readonly #within: number;
  readonly #writer = randomUUID();
  #number = 0;

  /** `within` is how many milliseconds a commit may take, and as many again are for finding out what became of it. */
  constructor(pool: Pool, within: number) {
    this.#pool = pool;
    this.#within = within;
  }

  /** Keeps these animals together, or none of them, and answers the identifier before the first one's. */
  async keep(pets: readonly NewPet[]): Promise<number> {
    const until = performance.now() + 2 * this.#within;
    const left = () => Math.max(1, Math.min(this.#within, Math.ceil(until - performance.now())));
    let unsettled: CommitName | undefined;

    const attempt = async (session: Session): Promise<number> => {
      const kept = unsettled && (await outcome(session, unsettled, left()));
      if (kept !== undefined) return kept;
      unsettled = { writer: this.#writer, number: ++this.#number };
      try {
        const { rows } = await session.keep(insertion(pets, unsettled), left());
        return Number(rows[0]?.[0]);
      } catch (error) {
        // The database itself says that it kept nothing.
        if (isRefusal(error) || isRepeatable(error)) unsettled = undefined;
        throw error;
      }
    };

    for (;;) {
      try {
        return await this.#pool.lend(attempt);
      } catch (error) {
        const isOver = error instanceof StoreUnavailableError || performance.now() >= until;
        if (isRefusal(error)) throw error;
        if (isOver)
          throw unsettled
            ? new StoreUncertainError('What became of it is not known.', { cause: error })
            : unavailable(error);
      }
    }
  }
}

/** The identifier before the first animal of a commit that was kept. One that was not will not be kept any more. */
async function outcome(session: Session, name: CommitName, within: number): Promise<number | undefined> {
  const givenUp = await session.keep(surrender(name), within);
  if (givenUp.rows.length > 0) return undefined;
  const { rows } = await session.ask(keptBefore(name), within);
  return rows[0] && Number(rows[0][0]);
}
