import { Client, type ClientConfig, DatabaseError, type QueryArrayConfig, type QueryArrayResult } from 'pg';
import { probe } from './statements.ts';

export type Row = unknown[];
type Query = Pick<QueryArrayConfig, 'name' | 'text' | 'values'>;

/** The SQLSTATE of warnings; the one about a cancelled wait for synchronous replication has no code of its own. */
const WARNING = '01000';

/** A connection to a host that takes writes. Every statement returns or fails in bounded time, which cancels nothing. */
export class Session extends Client {
  #warning: string | undefined;

  constructor(config?: ClientConfig) {
    super(config);
    // Whoever uses the session hears of it from the statement that fails.
    this.on('error', () => {});
    this.on('notice', ({ code, message }) => {
      if (code === WARNING) this.#warning = message;
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
   * Runs a statement that writes, which is durable when this resolves. A wait for the standby that is cancelled ends with
   * success and a warning: the write is on one machine, and is lost after a failover. So that rejects.
   */
  async write(query: Query, timeoutMs: number): Promise<QueryArrayResult<Row>> {
    this.#warning = undefined;
    const result = await this.run(query, timeoutMs);
    if (this.#warning !== undefined) throw new Error(`the database committed with a warning: ${this.#warning}`);
    return result;
  }
}

/** Prepares a new session before its first use, and rejects where it cannot be used. */
export type Prepare = (session: Session) => Promise<void>;

/** Every session sees warnings, whatever its role is set to, and is connected to a host that takes writes. */
export async function prepareSession(session: Session, timeoutMs: number, settings = ''): Promise<void> {
  // Every statement is served by an index, so it is planned once, and never by the statistics of a table that has just grown.
  const plans = 'SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off';
  await session.run({ text: `SET client_min_messages = warning; ${plans}; ${settings}` }, timeoutMs);
  const { rows } = await session.run({ text: 'SHOW transaction_read_only' }, timeoutMs);
  if (rows[0]?.[0] !== 'off') throw new Error('it is read only');
}

/** The database ends slow reads by itself, so that it does not work for callers that have left. */
export function prepareForReads(statementTimeout: number): Prepare {
  return (session) => prepareSession(session, statementTimeout, `SET statement_timeout = ${statementTimeout}`);
}

/**
 * No time-out of the database may end a commit: a wait for the standby that is cancelled reports success. An old primary
 * that nobody fenced says it takes writes and then never answers, so it has to commit something without effect first.
 */
export function prepareForWrites(timeoutMs: number): Prepare {
  return async (session) => {
    // A stricter isolation would have servers that commit at the same time rejected instead of waiting for their turn.
    const settings = `SET statement_timeout = 0; SET default_transaction_isolation = 'read committed'`;
    await prepareSession(session, timeoutMs, settings);
    // A commit that waits for a standby in vain, and its row locks, end soon after its server has left. Engines other than
    // PostgreSQL, and PostgreSQL on systems that cannot do it, have no such setting.
    const text = `SELECT set_config('client_connection_check_interval', '1000', false)`;
    await session.run({ text }, timeoutMs).catch((error: unknown) => {
      if (!(error instanceof DatabaseError)) throw error;
    });
    await session.write(probe, timeoutMs);
  };
}
