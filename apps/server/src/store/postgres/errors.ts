import { DatabaseError } from 'pg';
import { StoreUnavailableError } from '../errors.ts';

/** The host takes no writes: a standby, or a primary that was set to be read only. */
export class ReadOnlyHostError extends Error {
  override readonly name = 'ReadOnlyHostError';
}

/**
 * The database committed, and warned at the same time. A wait for the standby that was cancelled ends like this: the write
 * is on one machine, and is lost after a failover. So it must not be acknowledged.
 */
export class WarnedCommitError extends Error {
  override readonly name = 'WarnedCommitError';
}

/** SQLSTATE classes of errors that come from the database's state, its connection or the moment, not from the statement. */
const TRANSIENT = /^(08|25|40|53|55|57|58|XX)/;

/** SQLSTATEs after which nothing was stored: serialization, deadlock, read only, too many connections, starting up. */
const NOTHING_STORED = new Set(['40001', '40P01', '25006', '53300', '57P03']);

/** The SQLSTATE that the database gave; nothing where the error comes from elsewhere. */
function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/** Whether the database rejected the statement itself, so that repeating it fails again. Nothing was stored. */
export function isRejection(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !TRANSIENT.test(state);
}

/** Whether the same write can be sent again and is never stored twice. */
export function isRepeatable(error: unknown): boolean {
  return error instanceof ReadOnlyHostError || NOTHING_STORED.has(sqlState(error) ?? '');
}

/** Whether the connection broke during a read, which can be sent again. A read that timed out has used up its time. */
export function isLostConnection(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined ? !isTimeout(error) : /^57P0[123]$/.test(state);
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

/** pg has no class for it. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}
