import type { Pool } from 'pg';
import type { KeyRecord } from './commit-plan.ts';
import { readRows } from './postgres-pages.ts';
import * as sql from './postgres-sql.ts';
import { fillFilters } from './postgres-tables.ts';
import type { Declaration } from './store.ts';

/** How often idempotency keys are forgotten, and filters filled that a server without them has left. */
export const MAINTENANCE_MS = 2_000;
/** As many new keys, or as many characters of results, make a server look whether they are too many. */
const NEW_KEYS = { count: 5_000, size: 2 ** 24 };

/** What a server does for a database from time to time. It costs a look into an index when nothing is due. */
export class PostgresMaintenance {
  /** How many keys this server has forgotten before their time. */
  forgottenKeys = 0;
  readonly #pool: Pool;
  readonly #declarations: readonly Declaration[];
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #isRunning = false;
  /** What this server has saved since it last looked whether keys are too many. The first look is due. */
  #newKeys = { ...NEW_KEYS };

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
  }

  /** If a part fails, the next time follows: until then some keys stay, and a new filter lacks some documents. */
  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    await this.#forgetKeys().catch(() => {});
    await this.#fillFilters().catch(() => {});
    this.#isRunning = false;
  }

  async #forgetKeys(): Promise<void> {
    const { count, size } = this.#newKeys;
    const mayBeTooMany = count >= NEW_KEYS.count || size >= NEW_KEYS.size;
    const expired = await readRows(this.#pool, sql.selectExpired(this.#now()));
    if (!mayBeTooMany && expired.length === 0) return;
    this.#newKeys = { count: 0, size: 0 };
    type Row = { early: boolean };
    const forgotten = await readRows<Row>(this.#pool, sql.forgetKeys(this.#now()));
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
