import type { Pool, QueryConfig } from 'pg';
import type { KeyRecord } from './commit-plan.ts';
import { readRows } from './postgres-reads.ts';
import { expiry } from './postgres-sql.ts';
import { fillFilters } from './postgres-tables.ts';
import { type Declaration, KEYS } from './store.ts';

/**
 * The pause between two rounds of maintenance, which forgets idempotency keys and fills the filters
 * that a server without them has left.
 */
export const MAINTENANCE_MS = 2_000;
/**
 * After this number of new keys or of characters of results, a server checks whether the database
 * has too many.
 */
const NEW_KEYS = { count: 5_000, size: 2 ** 24 };

/**
 * Maintains a database from time to time. When nothing is due, this costs one look into an index.
 */
export class PostgresMaintenance {
  /** The number of keys that this server has forgotten before their time. */
  forgottenKeys = 0;
  readonly #pool: Pool;
  readonly #declarations: readonly Declaration[];
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #isRunning = false;
  /** The keys that this server has saved since its last check whether there are too many. */
  #newKeys = { count: 0, size: 0 };
  /** Whether there may be too many keys. At the start, other servers may have saved them. */
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
   * Runs one round. If a part fails, some keys stay until the next round, and a new filter lacks
   * some documents.
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
 * Deletes the expired idempotency keys, and the oldest if there are too many. Returns for each
 * whether it was deleted before its time.
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
