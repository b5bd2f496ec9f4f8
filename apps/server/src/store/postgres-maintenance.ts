import type { Pool, QueryConfig } from 'pg';
import type { KeyRecord } from './commit-plan.ts';
import { readRows } from './postgres-reads.ts';
import { expiry } from './postgres-sql.ts';
import { fillFilters } from './postgres-tables.ts';
import { type Declaration, KEYS } from './store.ts';

/**
 * How often idempotency keys are forgotten, and filters filled that a server without them has left.
 */
export const MAINTENANCE_MS = 2_000;
/**
 * After so many new keys, or so many characters of results, a server looks whether they are too
 * many.
 */
const NEW_KEYS = { count: 5_000, size: 2 ** 24 };

/**
 * What a server does for a database from time to time. It costs a look into an index when nothing
 * is due.
 */
export class PostgresMaintenance {
  /** How many keys this server has forgotten before their time. */
  forgottenKeys = 0;
  readonly #pool: Pool;
  readonly #declarations: readonly Declaration[];
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #isRunning = false;
  /** What this server has saved since it last looked whether keys are too many. */
  #newKeys = { count: 0, size: 0 };
  /** Whether keys may be too many. At the start, those of other servers may be. */
  #mayBeTooMany = true;

  constructor(pool: Pool, declarations: readonly Declaration[], now: () => number) {
    this.#pool = pool;
    this.#declarations = declarations;
    this.#now = now;
    this.#timer = setInterval(() => this.#run(), MAINTENANCE_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Counts keys that were saved. */
  countKeys(keys: readonly KeyRecord[]): void {
    for (const { json } of keys) {
      this.#newKeys.count += 1;
      this.#newKeys.size += json.length;
    }
    const { count, size } = this.#newKeys;
    if (count >= NEW_KEYS.count || size >= NEW_KEYS.size) this.#mayBeTooMany = true;
  }

  /**
   * If a part fails, the next time follows: until then some keys stay, and a new filter lacks some
   * documents.
   */
  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    await this.#forgetKeys().catch(() => {});
    await this.#fillFilters().catch(() => {});
    this.#isRunning = false;
  }

  async #forgetKeys(): Promise<void> {
    const expired = await readRows(this.#pool, selectExpired(this.#now()));
    if (!this.#mayBeTooMany && expired.length === 0) return;
    this.#newKeys = { count: 0, size: 0 };
    this.#mayBeTooMany = false;
    type Row = { early: boolean };
    const forgotten = await readRows<Row>(this.#pool, forgetKeys(this.#now()));
    this.forgottenKeys += forgotten.filter(({ early }) => early).length;
  }

  async #fillFilters(): Promise<void> {
    const client = await this.#pool.connect();
    try {
      for (const declaration of this.#declarations) await fillFilters(client, declaration);
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}

/** Whether a key has expired. It reads one row of an index. */
function selectExpired(now: number): QueryConfig {
  const text = 'SELECT 1 FROM petstore_request_keys WHERE made <= $1 LIMIT 1';
  return { name: 'expired', text, values: [expiry(now)] };
}

/**
 * Deletes the idempotency keys that are expired or too many. Returns for each whether it was before
 * its time.
 */
function forgetKeys(now: number): QueryConfig {
  const text = `
    DELETE FROM petstore_request_keys WHERE id IN (
      SELECT id FROM (
        SELECT id, made, row_number() OVER newer AS count, sum(size) OVER newer AS size FROM petstore_request_keys
        WINDOW newer AS (ORDER BY made DESC ROWS UNBOUNDED PRECEDING)
      ) keys
      WHERE count > ${KEYS.count} OR size > ${KEYS.size} OR made <= $1)
    RETURNING made > $1 AS early`;
  return { text, values: [expiry(now)] };
}
