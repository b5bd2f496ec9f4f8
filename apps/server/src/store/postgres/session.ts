import { Client, DatabaseError, type QueryArrayConfig, type QueryArrayResult } from 'pg';
import { ReadOnlyHostError, WarnedCommitError } from './errors.ts';
import { probe } from './statements.ts';

export type Row = unknown[];

/** The SQLSTATE of warnings; the one about a cancelled wait for synchronous replication has no code of its own. */
const WARNING = '01000';

/** A connection to a host that takes writes. Every statement returns or fails in bounded time, which cancels nothing. */
export class Session extends Client {
  #warning: string | undefined;

  constructor(config?: ConstructorParameters<typeof Client>[0]) {
    super(config);
    // Whoever uses the session hears of it from the statement that fails.
    this.on('error', () => {});
    this.on('notice', ({ code, message }) => {
      if (code === WARNING) this.#warning = message;
    });
  }

  /** A session of its own, outside of any pool. */
  static async open(address: string, timeoutMs: number): Promise<Session> {
    const session = new Session({ connectionString: address, connectionTimeoutMillis: timeoutMs });
    await session.connect();
    await prepareSession(session, timeoutMs);
    return session;
  }

  async run(query: Omit<QueryArrayConfig, 'rowMode'>, timeoutMs: number): Promise<QueryArrayResult<Row>> {
    return this.query<Row>({ ...query, rowMode: 'array', query_timeout: timeoutMs } as QueryArrayConfig);
  }

  /** Runs a statement that writes. The write is durable when this resolves: it rejects if a warning stands beside the success. */
  async write(query: Omit<QueryArrayConfig, 'rowMode'>, timeoutMs: number): Promise<QueryArrayResult<Row>> {
    this.#warning = undefined;
    const result = await this.run(query, timeoutMs);
    if (this.#warning !== undefined) throw new WarnedCommitError(this.#warning);
    return result;
  }
}

/** Prepares a new session before its first use, and rejects where it cannot be used. */
export type Prepare = (session: Session) => Promise<void>;

/** Every session sees warnings, whatever its role is set to, and is connected to a host that takes writes. */
export async function prepareSession(session: Session, timeoutMs: number): Promise<void> {
  // Every statement is served by an index, so it is planned once, and never by the statistics of a table that has just grown.
  const plans = 'SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off';
  await session.run({ text: `SET client_min_messages = warning; ${plans}` }, timeoutMs);
  const { rows } = await session.run({ text: 'SHOW transaction_read_only' }, timeoutMs);
  if (rows[0]?.[0] !== 'off') throw new ReadOnlyHostError('it is read only');
}

/** The database ends slow reads by itself, so that it does not work for callers that have left. */
export function prepareForReads(statementTimeout: number): Prepare {
  return async (session) => {
    await prepareSession(session, statementTimeout);
    await session.run({ text: `SET statement_timeout = ${statementTimeout}` }, statementTimeout);
  };
}

/**
 * No time-out of the database may end a commit: a wait for the standby that is cancelled reports success. An old primary
 * that nobody fenced says it takes writes and then never answers, so it has to commit something without effect first.
 */
export function prepareForWrites(timeoutMs: number): Prepare {
  return async (session) => {
    await prepareSession(session, timeoutMs);
    // A stricter isolation would have servers that commit at the same time rejected instead of waiting for their turn.
    const text = `SET statement_timeout = 0; SET default_transaction_isolation = 'read committed'`;
    await session.run({ text }, timeoutMs);
    // A commit that waits for a standby in vain, and its row locks, end soon after its server has left.
    const check = `SELECT set_config('client_connection_check_interval', '1000', false)`;
    await session.run({ text: check }, timeoutMs).catch(ignoreUnsupported);
    await session.write(probe, timeoutMs);
  };
}

/** Engines other than PostgreSQL, and PostgreSQL on systems that cannot do it, have no such setting. */
function ignoreUnsupported(error: unknown): void {
  if (!(error instanceof DatabaseError)) throw error;
}
