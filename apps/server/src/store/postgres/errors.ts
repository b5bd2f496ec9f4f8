import { DatabaseError } from 'pg';
import { StoreUnavailableError, StoreUncertainError } from '../errors.ts';

/** SQLSTATE classes of errors whose cause is not the statement: the connection, the resources or the state of the database. */
const TRANSIENT = /^(08|25|40|53|55|57|58|XX)/;

/**
 * SQLSTATEs that guarantee that the statement stored nothing: serialization, deadlock, read only, too many connections,
 * a lock's timeout, starting up.
 */
const NOTHING_STORED = new Set(['40001', '40P01', '25006', '53300', '55P03', '57P03']);

/** The message of pg's error for a statement's timeout, which has no class of its own. */
const PG_TIMEOUT = 'Query read timeout';

/** Whether the database rejected the statement itself, so it stored nothing, and would fail again. */
export function isRejection(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !TRANSIENT.test(state);
}

/** Whether a commit failed because another server stored one of its idempotency keys first. The statement then divides by zero. */
export function isKeyTaken(error: unknown): boolean {
  return sqlState(error) === '22012';
}

/** Whether a create needs an identifier beyond the highest one, which the schema's only CHECK rejects. */
export function isOutOfIds(error: unknown): boolean {
  return sqlState(error) === '23514';
}

/**
 * Whether the database had no disk space or memory left. This error may follow a stored commit, because the database then still
 * adds the statement to its statistics.
 */
export function isOutOfResources(error: unknown): boolean {
  return /^53(?!300)/.test(sqlState(error) ?? '');
}

/** Whether a write can be sent again without being stored twice. */
export function isRepeatable(error: unknown): boolean {
  return NOTHING_STORED.has(sqlState(error) ?? '');
}

/**
 * Whether a read lost its connection, so it can be sent again. A read that timed out is not sent again, because its time is
 * over.
 */
export function isLostConnection(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined ? messageOf(error) !== PG_TIMEOUT : /^57P0[123]$/.test(state);
}

/** Whether the connection can still be used: the database responded, and its host is not the problem. */
export function isConnectionUsable(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !/^(08|25006|53300|57|58|XX)/.test(state);
}

/** The error for the callers of the store: a StoreUnavailableError, unless the database rejected the statement itself. */
export function unavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailableError || isRejection(error)) return error;
  return new StoreUnavailableError(`The database cannot be used now (${messageOf(error)}).`, { cause: error });
}

/** The error for a write that may have been stored. */
export function uncertain(cause: unknown): StoreUncertainError {
  return new StoreUncertainError('The outcome of the write is unknown.', { cause });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** The SQLSTATE of a database error; undefined for other errors. */
function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}
