import { DatabaseError } from 'pg';
import { StoreUnavailableError } from '../errors.ts';

/** SQLSTATE classes of errors that come from the database's state, its connection or the moment, not from the statement. */
const TRANSIENT = /^(08|25|40|53|55|57|58|XX)/;

/** SQLSTATEs after which nothing was stored: serialization, deadlock, read only, too many connections, starting up. */
const NOTHING_STORED = new Set(['40001', '40P01', '25006', '53300', '57P03']);

/** The message of pg's error for a statement that took too long; it has no class of its own. */
const PG_TIMEOUT = 'Query read timeout';

/** Whether the database rejected the statement itself, so that repeating it fails again. Nothing was stored. */
export function isRejection(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !TRANSIENT.test(state);
}

/** Whether a commit undid itself, by dividing by zero, because another server had stored one of its keys first. */
export function isKeyTaken(error: unknown): boolean {
  return sqlState(error) === '22012';
}

/** Whether the same write can be sent again and is never stored twice. */
export function isRepeatable(error: unknown): boolean {
  return NOTHING_STORED.has(sqlState(error) ?? '');
}

/** Whether the connection broke during a read, which can be sent again. A read that timed out has used up its time. */
export function isLostConnection(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined ? messageOf(error) !== PG_TIMEOUT : /^57P0[123]$/.test(state);
}

/** Whether the connection can still be used: the database answered, and its host is not the problem. */
export function leavesConnection(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !/^(08|25006|53|57|58|XX)/.test(state);
}

/** The error for the callers of the store. */
export function unavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailableError || isRejection(error)) return error;
  return new StoreUnavailableError(`The database cannot be used now (${messageOf(error)}).`, { cause: error });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** The SQLSTATE that the database gave; nothing where the error comes from elsewhere. */
function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}
