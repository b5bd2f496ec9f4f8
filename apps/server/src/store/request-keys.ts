import type { KeyRecord } from './commit-plan.ts';
import { KEYS } from './store.ts';

export interface MemoryKey extends KeyRecord {
  /** The collection of the document. */
  readonly collection: string;
}

/** The records of the idempotency keys of the last 24 hours. Beyond a number and a size the oldest are forgotten. */
export class RequestKeys {
  /** How many keys were forgotten before their time. */
  forgotten = 0;
  /** The oldest are first. */
  readonly #records = new Map<string, MemoryKey>();
  #size = 0;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get(id: string): KeyRecord | undefined {
    const record = this.#records.get(id);
    return record && !this.#isExpired(record) ? record : undefined;
  }

  /** All records. Those that are added meanwhile follow. */
  all(): IterableIterator<MemoryKey> {
    return this.#records.values();
  }

  /** Adds a record, and forgets those that are expired or too many. */
  add(record: MemoryKey): void {
    const before = this.#records.get(record.id);
    if (before) this.#delete(before);
    this.#records.set(record.id, record);
    this.#size += record.json.length;
    for (const oldest of this.#records.values()) {
      const isExpired = this.#isExpired(oldest);
      const isTooMuch = this.#records.size > KEYS.count || this.#size > KEYS.size;
      if (!isExpired && !isTooMuch) return;
      if (!isExpired) this.forgotten += 1;
      this.#delete(oldest);
    }
  }

  #isExpired({ made }: KeyRecord): boolean {
    return this.#now() - made >= KEYS.milliseconds;
  }

  #delete(record: KeyRecord): void {
    this.#records.delete(record.id);
    this.#size -= record.json.length;
  }
}
