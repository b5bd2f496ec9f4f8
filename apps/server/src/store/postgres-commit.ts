import { DatabaseError, type Pool, type PoolClient, type QueryResult } from 'pg';
import { CommitPlan, type KeyRecord, type Outcome, type State, type Write } from './commit-plan.ts';
import type { PostgresMaintenance } from './postgres-maintenance.ts';
import * as sql from './postgres-sql.ts';
import {
  type Declaration,
  messageOf,
  nothingDone,
  UnavailableError,
  UnknownOutcomeError,
} from './store.ts';

/**
 * The beginnings of the codes of errors that the data of one write can cause: data, constraints,
 * sizes, triggers.
 */
const DATA_ERRORS: readonly string[] = ['21', '22', '23', '54', 'P0'];

/** The database refuses the data of a write, and has done nothing. */
class RefusedError extends UnavailableError {
  constructor(cause: unknown) {
    super(`The database refused the write (${messageOf(cause)}).`, { cause });
  }
}

/** Commits writes to a database to which other servers write, too. */
export class PostgresCommits {
  readonly #pool: Pool;
  readonly #declarations: readonly Declaration[];
  readonly #now: () => number;
  readonly #maintenance: PostgresMaintenance;

  constructor(
    pool: Pool,
    declarations: readonly Declaration[],
    now: () => number,
    maintenance: PostgresMaintenance,
  ) {
    this.#pool = pool;
    this.#declarations = declarations;
    this.#now = now;
    this.#maintenance = maintenance;
  }

  /**
   * Commits writes. If the database refuses their data, both halves are tried again, until the
   * write that causes the error fails alone. That is safe, because the database has said that it
   * did nothing.
   */
  async commit(writes: readonly Write[]): Promise<Outcome[]> {
    try {
      return await this.#transact(writes);
    } catch (error) {
      if (!(error instanceof RefusedError) || writes.length === 1) throw error;
    }
    const middle = Math.ceil(writes.length / 2);
    // One after the other, because the identifiers follow the order of the writes.
    const first = await this.#commitHalf(writes.slice(0, middle));
    const second = await this.#commitHalf(writes.slice(middle));
    return [...first, ...second];
  }

  /** Like `commit`, but never rejects, because the other half may be done already. */
  async #commitHalf(writes: readonly Write[]): Promise<Outcome[]> {
    try {
      return await this.commit(writes);
    } catch (error) {
      return writes.map(() => error as Error);
    }
  }

  /** Commits writes in one transaction. Throws RefusedError if the database refuses their data. */
  async #transact(writes: readonly Write[]): Promise<Outcome[]> {
    const client = await this.#pool.connect().catch(nothingDone);
    const plan = await this.#makeChanges(client, writes);
    await finish(client, plan);
    this.#maintenance.countKeys(sql.keysOf(plan.changes));
    return plan.outcomes;
  }

  /**
   * Makes the changes in a transaction that stays open. If this fails, nothing was done, and the
   * client is released.
   */
  async #makeChanges(client: PoolClient, writes: readonly Write[]): Promise<CommitPlan> {
    try {
      let plan: CommitPlan | undefined;
      while (!plan) plan = await this.#tryChanges(client, writes);
      return plan;
    } catch (error) {
      const isRefused = isDataError(error) && (await isRolledBack(client));
      // After any other error the connection may be in any state.
      const isDropped = !isRefused;
      client.release(isDropped);
      if (isRefused) throw new RefusedError(error);
      return nothingDone(error);
    }
  }

  /**
   * Makes the changes in a transaction. Returns undefined if another server has used one of the
   * idempotency keys meanwhile.
   */
  async #tryChanges(client: PoolClient, writes: readonly Write[]): Promise<CommitPlan | undefined> {
    const plan = new CommitPlan(writes, await begin(client, writes, this.#now));
    if (plan.changes.length === 0) return plan;
    const statement = sql.applyChanges(this.#declarations, plan, this.#now());
    const { rows } = await client.query(statement);
    const savedAllKeys = rows.length === sql.keysOf(plan.changes).length;
    if (savedAllKeys) return plan;
    await client.query('ROLLBACK');
    return undefined;
  }
}

/**
 * Begins a transaction that no other commit to its collections overlaps, and reads the stored data
 * that its plan needs.
 */
async function begin(
  client: PoolClient,
  writes: readonly Write[],
  now: () => number,
): Promise<State> {
  const byCollection = Map.groupBy(writes, ({ collection }) => collection);
  const nextIds = await lock(client, [...byCollection.keys()]);
  const texts = new Map<string, string>();
  for (const [name, some] of byCollection) {
    const ids = some.flatMap(({ id }) => id ?? []);
    if (ids.length === 0) continue;
    const statement = sql.selectDocuments(name, ids);
    const { rows } = await client.query<{ id: string; json: string }>(statement);
    for (const { id, json } of rows) texts.set(`${name} ${id}`, json);
  }
  const keys = await readKeyRecords(client, writes, now());
  return {
    nextId: (name) => nextIds.get(name) ?? 1,
    text: (name, id) => texts.get(`${name} ${id}`),
    key: (id) => keys.get(id),
    room: Number.POSITIVE_INFINITY,
    now,
  };
}

/**
 * Locks the counters of collections until the end of the transaction, which begins here. Returns
 * the next identifiers.
 */
async function lock(
  client: PoolClient,
  collections: readonly string[],
): Promise<Map<string, number>> {
  // pg returns an array for several statements. Its types do not say so.
  const results: unknown = await client.query(sql.beginCommit(collections));
  const counters = (results as QueryResult<{ name: string; value: string }>[]).at(-1);
  const nextIds = new Map<string, number>();
  for (const { name, value } of counters?.rows ?? []) nextIds.set(name, Number(value));
  return nextIds;
}

async function readKeyRecords(
  client: PoolClient,
  writes: readonly Write[],
  now: number,
): Promise<Map<string, KeyRecord>> {
  const ids = writes.flatMap(({ key }) => key?.id ?? []);
  if (ids.length === 0) return new Map();
  const { rows } = await client.query<KeyRecord>(sql.selectKeys(ids, now));
  return new Map(rows.map((record) => [record.id, record]));
}

async function finish(client: PoolClient, { changes }: CommitPlan): Promise<void> {
  try {
    await client.query('COMMIT');
    client.release();
  } catch (error) {
    client.release(true);
    if (changes.length === 0) nothingDone(error);
    const message = `The database did not say whether it has the write (${messageOf(error)}).`;
    throw new UnknownOutcomeError(message, { cause: error });
  }
}

function isDataError(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  return DATA_ERRORS.some((code) => error.code?.startsWith(code));
}

async function isRolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    // The connection is lost. Then the database rolls back by itself.
    return false;
  }
}
