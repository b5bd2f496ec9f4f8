import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseSilentError } from './errors.ts';
import type { Session } from './session.ts';

/** Any number that nobody else uses in this database: "pets" in ASCII. */
const lock = 0x70657473;

export interface Limits {
  /** Milliseconds that a statement of a migration may take. */
  statement: number;
  /** Milliseconds to wait for another server that migrates. */
  turn: number;
}

/** What one migration may take; building an index of many millions of animals is one statement. */
export const patient: Limits = { statement: 3_600_000, turn: 3_600_000 };

/**
 * Brings the schema up to date. Servers that start together take turns, each finds done what the one before it did, and one
 * that is killed leaves the lock with its connection. A schema of a newer version is left as it is: it only adds.
 * Where a wire-compatible engine has no such locks, the statements themselves stand being run twice at once.
 */
export async function migrate(
  session: Session,
  migrations: readonly (readonly string[])[],
  limits = patient,
): Promise<void> {
  const ask = async (text: string, values: unknown[] = []) =>
    (await session.keep({ text, values, rowMode: 'array' }, limits.statement)).rows;
  const version = async () => Number((await ask('SELECT coalesce(max(version), 0) FROM petstore_migrations'))[0]?.[0]);
  // A server that may not change the schema is welcome where nothing has to be changed.
  const known = (await ask(`SELECT to_regclass('petstore_migrations') IS NOT NULL`))[0]?.[0] === true;
  if (known && (await version()) >= migrations.length) return;

  const until = performance.now() + limits.turn;
  while ((await ask('SELECT pg_try_advisory_lock($1)', [lock]))[0]?.[0] !== true) {
    if (performance.now() > until) throw new DatabaseSilentError('another server has been migrating for too long');
    await pause(50);
  }
  await ask(`CREATE TABLE IF NOT EXISTS petstore_migrations (
    version bigint PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
  )`);
  for (let next = await version(); next < migrations.length; next++) {
    for (const statement of migrations[next] ?? []) await ask(statement);
    await ask('INSERT INTO petstore_migrations (version) VALUES ($1) ON CONFLICT DO NOTHING', [next + 1]);
  }
  await ask('SELECT pg_advisory_unlock($1)', [lock]);
}
