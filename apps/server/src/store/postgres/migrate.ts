import { setTimeout as pause } from 'node:timers/promises';
import type { Step } from './schema.ts';
import type { Session } from './session.ts';

/** Any number that nobody else uses in this database. */
const LOCK = 0x70657473;

export interface MigrationLimits {
  /** Milliseconds that a statement may take. */
  statementMs: number;
  /** Milliseconds to wait for another server that migrates. */
  waitMs: number;
}

/** Building an index of many millions of documents is one statement. */
export const DEFAULT_LIMITS: MigrationLimits = { statementMs: 3_600_000, waitMs: 3_600_000 };

/**
 * Brings the schema up to date. Servers that start together take turns, and each finds done what the one before it did; one
 * that is killed releases the lock with its connection. A server that may not change the schema can start where nothing has
 * to be changed.
 */
export async function migrate(session: Session, steps: readonly Step[], limits = DEFAULT_LIMITS): Promise<void> {
  const run = async (text: string) => (await session.write({ text }, limits.statementMs)).rows;
  const pending = async () => {
    const [row = []] = await run(`SELECT ${steps.map(({ isDone }) => isDone).join(', ')}`);
    return steps.filter((_, i) => row[i] !== true);
  };
  if ((await pending()).length === 0) return;

  const deadline = performance.now() + limits.waitMs;
  while ((await run(`SELECT pg_try_advisory_lock(${LOCK})`))[0]?.[0] !== true) {
    if (performance.now() > deadline) throw new Error('another server has been migrating for too long');
    await pause(50);
  }
  await run(`CREATE TABLE IF NOT EXISTS petstore_migrations (
    version bigint PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
  )`);
  for (const { statements } of await pending()) for (const statement of statements) await run(statement);
  await run(`SELECT pg_advisory_unlock(${LOCK})`);
}
