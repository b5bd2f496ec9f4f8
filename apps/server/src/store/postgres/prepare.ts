import { DatabaseError } from 'pg';
import type { Prepare } from './hosts.ts';
import { trial } from './sql.ts';

/** Reads end by themselves where the database is slow, so that nothing goes on for callers that have left. */
export function readingSession(statementTimeout: number): Prepare {
  return async (session) => {
    await session.ask({ text: `SET statement_timeout = ${statementTimeout}`, rowMode: 'array' }, statementTimeout);
  };
}

/**
 * A session for adding animals. No time-out of the database may end what is being kept: a wait for the standby that is cut
 * short answers success. And an old primary that nobody fenced says it takes animals, then never answers: so before the
 * first animal goes there, something that changes nothing has to be kept.
 */
export function writingSession(within: number): Prepare {
  return async (session) => {
    await session.ask({ text: 'SET statement_timeout = 0', rowMode: 'array' }, within);
    // Stricter ones would have servers that commit at the same time refused instead of waiting for their turn.
    await session.ask({ text: `SET default_transaction_isolation = 'read committed'`, rowMode: 'array' }, within);
    // Frees what waits for a standby in vain, and the row of the identifiers with it, soon after its server has left.
    const watch = `SELECT set_config('client_connection_check_interval', '1000', false)`;
    await session.ask({ text: watch, rowMode: 'array' }, within).catch(ignoreUnknown);
    await session.keep(trial, within);
  };
}

/** Engines that are not PostgreSQL, and PostgreSQL where the system cannot do it, know no such setting. */
function ignoreUnknown(error: unknown): void {
  if (!(error instanceof DatabaseError)) throw error;
}
