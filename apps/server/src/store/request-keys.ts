import { hash } from 'node:crypto';
import { KEYS, type RequestKey } from './store.ts';

/** The first result of a write with an idempotency key. */
export interface KeyRecord {
  /** A hash of the caller, the key, and which write of the request it is. */
  readonly id: string;
  readonly fingerprint: string;
  /** When it was made, in milliseconds. */
  readonly made: number;
  /** The document that the write returned. */
  readonly json: string;
}

export function keyId({ caller, key }: RequestKey, write: number): string {
  return hash('sha256', JSON.stringify([caller, key, write]), 'base64url');
}

/** The idempotency keys of the last 24 hours in memory. Beyond a number and a size the oldest are forgotten. */
export class RequestKeys {
  readonly #records = new Map<string, KeyRecord>();
  #size = 0;
  /** How many keys were forgotten before their time. */
  forgotten = 0;

  get(id: string): KeyRecord | undefined {
    const record = this.#records.get(id);
    return record && !isExpired(record) ? record : undefined;
  }

  add(record: KeyRecord): void {
    this.#delete(this.#records.get(record.id));
    this.#records.set(record.id, record);
    this.#size += record.json.length;
    for (const oldest of this.#records.values()) {
      const isExcess = this.#records.size > KEYS.count || this.#size > KEYS.size;
      if (!isExpired(oldest)) {
        if (!isExcess) return;
        this.forgotten++;
      }
      this.#delete(oldest);
    }
  }

  /** All records, oldest first. Records that are added meanwhile follow. */
  values(): Iterable<KeyRecord> {
    return this.#records.values();
  }

  #delete(record: KeyRecord | undefined): void {
    if (!record) return;
    this.#records.delete(record.id);
    this.#size -= record.json.length;
  }
}

function isExpired({ made }: KeyRecord): boolean {
  return Date.now() - made >= KEYS.milliseconds;
}
