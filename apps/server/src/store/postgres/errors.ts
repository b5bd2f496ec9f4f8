import { DatabaseError } from 'pg';
import { StoreUnavailableError } from '../errors.ts';

/** The database did not answer in time. Its connection was given up; what had been sent may still be done. */
export class DatabaseSilentError extends Error {
  override readonly name = 'DatabaseSilentError';
}

/** The host takes no new animals: a standby, or a primary that was set to be read only. */
export class ReadOnlyHostError extends Error {
  override readonly name = 'ReadOnlyHostError';
}

/**
 * The database said that it kept something, and warned in the same breath. A wait for the standby that was cut short ends so:
 * the animals are on one machine, and would be gone after a failover. So nothing was kept that could be acknowledged.
 */
export class WarnedCommitError extends Error {
  override readonly name = 'WarnedCommitError';
}

/** SQLSTATE classes of what is wrong with the database, its connection or its moment, and not with a statement or an animal. */
const passing = /^(08|25|40|53|55|57|58|XX)/;

/** SQLSTATEs after which surely nothing was kept: serialization, deadlock, read only, no room for a connection, starting up. */
const notKept = new Set(['40001', '40P01', '25006', '53300', '57P03']);

/** The five letters with which the database names what went wrong; nothing where it was not the database that spoke. */
function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/** Whether it failed for what was asked, so that asking again would fail again. */
export function isRefusal(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !passing.test(state);
}

/** Whether the same can be sent again without ever being done twice. */
export function isRepeatable(error: unknown): boolean {
  return error instanceof ReadOnlyHostError || notKept.has(sqlState(error) ?? '');
}

/** Whether the way to the database broke while it was asked, so that what only reads may be asked again. */
export function isLostConnection(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined ? !(error instanceof DatabaseSilentError) : /^57P0[123]$/.test(state);
}

/** Whether the connection can be used on: the database answered, and it is not its host that is the trouble. */
export function leavesConnection(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !/^(08|25006|53|57|58|XX)/.test(state);
}

/** What the callers of the store are told. */
export function unavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailableError || isRefusal(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreUnavailableError(`The database cannot be used now (${reason}).`, { cause: error });
}
