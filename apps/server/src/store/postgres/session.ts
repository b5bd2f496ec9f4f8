import { Client, type ClientConfig, DatabaseError, type QueryArrayConfig, type QueryArrayResult } from 'pg';

export type Row = unknown[];
type Query = Pick<QueryArrayConfig, 'name' | 'text' | 'values'>;

/** The function of PostgreSQL that warns of a cancelled wait for the standby. The warning has no SQLSTATE of its own. */
const STANDBY_WAIT = 'SyncRepWaitForLSN';

/**
 * A connection to a host that accepts writes. Each statement has a timeout, which does not cancel the statement in the
 * database.
 */
export class Session extends Client {
  #warning: string | undefined;

  constructor(config?: ClientConfig) {
    super(config);
    // The statement that fails reports the error, so this listener only keeps the error from ending the process.
    this.on('error', () => {});
    this.on('notice', ({ routine, message }) => {
      if (routine === STANDBY_WAIT) this.#warning = message;
    });
  }

  async run(query: Query, timeoutMs: number): Promise<QueryArrayResult<Row>> {
    const config: QueryArrayConfig & { query_timeout: number } = {
      ...query,
      rowMode: 'array',
      query_timeout: timeoutMs,
    };
    return this.query<Row>(config);
  }

  /**
   * Runs a statement that writes, and resolves when the write is durable. If the wait for the standby is cancelled, the
   * database reports success with a warning. A failover would lose such a write, so the promise rejects.
   */
  async write(query: Query, timeoutMs: number): Promise<QueryArrayResult<Row>> {
    this.#warning = undefined;
    const result = await this.run(query, timeoutMs);
    if (this.#warning !== undefined) throw new Error(`the database committed with a warning: ${this.#warning}`);
    return result;
  }
}

/** Prepares a new session before its first use. Rejects if the session cannot be used. */
export type Prepare = (session: Session) => Promise<void>;

/**
 * Sets how a session reports warnings, reads nulls in arrays and plans statements, then runs the SQL of `settings`. All of them
 * override the settings of the role. Rejects if the host accepts no writes.
 */
export async function prepareSession(session: Session, timeoutMs: number, settings = ''): Promise<void> {
  // Every statement of a request uses an index, so one plan fits all parameters. Outdated statistics of a fast-growing table could make the
  // planner scan it.
  const plans = 'SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off';
  const text = `SET client_min_messages = warning; SET array_nulls = on; ${plans}; ${settings}`;
  await session.run({ text }, timeoutMs);
  const { rows } = await session.run({ text: 'SHOW transaction_read_only' }, timeoutMs);
  if (rows[0]?.[0] !== 'off') throw new Error('it is read only');
}

/** Prepares a session for reads: the database cancels a read that takes longer than its caller waits. */
export function prepareForReads(statementTimeout: number): Prepare {
  return (session) => prepareSession(session, statementTimeout, `SET statement_timeout = ${statementTimeout}`);
}

/**
 * Prepares a session for a migration. The database cancels no write, because a cancelled wait for the standby reports success. With a
 * stricter isolation, a migration would not see the writes whose end it waits for, and concurrent commits would be rejected.
 */
export function prepareForMigration(timeoutMs: number): Prepare {
  const settings = `SET statement_timeout = 0; SET default_transaction_isolation = 'read committed'`;
  return (session) => prepareSession(session, timeoutMs, settings);
}

/**
 * Prepares a session for writes, like one for a migration. Each statement of the preparation may take `timeoutMs`. The last one commits
 * an update without effect: a former primary that still runs accepts the update, but its standby never confirms the commit, so no write
 * is sent to it.
 */
export function prepareForWrites(timeoutMs: number): Prepare {
  return async (session) => {
    await prepareForMigration(timeoutMs)(session);
    // Ends a statement that waits for a lock, and releases its own locks, soon after this process has disconnected. PostgreSQL does not
    // end a commit that waits for a standby. Other engines, and PostgreSQL on some systems, have no such setting.
    const text = `SELECT set_config('client_connection_check_interval', '1000', false)`;
    await session.run({ text }, timeoutMs).catch((error: unknown) => {
      if (!(error instanceof DatabaseError)) throw error;
    });
    await session.write(probe, timeoutMs);
  };
}

/** Every commit writes a row of this table, so a host that commits this can commit writes. */
const probe = { text: 'UPDATE petstore_collections SET last = last' };
