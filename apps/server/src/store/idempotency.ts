import { IDEMPOTENCY_MS, type IdempotencyState } from './store.ts';

/** The keys of idempotent writes in memory, in the order in which they came, each with a value of the store's. */
export class IdempotencyKeys<T> {
  readonly #max: number;
  readonly #now: () => number;
  readonly #entries = new Map<string, { readonly value: T; readonly at: number }>();
  /** One iterator for all removals: it remembers how many removed entries it has passed. */
  #oldest = this.#entries.entries();
  #next: [key: string, { readonly value: T; readonly at: number }] | undefined;
  #forgotten = 0;

  constructor(max: number, now: () => number = Date.now) {
    this.#max = max;
    this.#now = now;
  }

  /** The value of a key that was stored within the last 24 hours. A clock that went back makes a key live longer. */
  get(key: string): T | undefined {
    const found = this.#entries.get(key);
    return found && !this.#isOld(found) ? found.value : undefined;
  }

  /** The value of a key that is too old, and was not removed yet. */
  getOld(key: string): T | undefined {
    const found = this.#entries.get(key);
    return found && this.#isOld(found) ? found.value : undefined;
  }

  set(key: string, value: T, at = this.#now()): void {
    // Behind all others: the order is that of time.
    if (this.#entries.delete(key) && this.#next?.[0] === key) this.#next = undefined;
    this.#entries.set(key, { value, at });
  }

  /** Whether there is a key that is too old, or one too many. */
  get isDue(): boolean {
    const [, oldest] = this.#first() ?? [];
    return oldest !== undefined && (this.#isOld(oldest) || this.#entries.size > this.#max);
  }

  /** Removes up to so many keys that are too old, or too many, and returns their values. */
  sweep(count: number): T[] {
    const values: T[] = [];
    while (values.length < count && this.isDue && this.#next) {
      const [key, entry] = this.#next;
      if (!this.#isOld(entry)) this.#forgotten++;
      this.#entries.delete(key);
      this.#next = undefined;
      values.push(entry.value);
    }
    return values;
  }

  get state(): IdempotencyState {
    return { keys: this.#entries.size, forgotten: this.#forgotten };
  }

  #isOld({ at }: { readonly at: number }): boolean {
    return this.#now() - at >= IDEMPOTENCY_MS;
  }

  #first() {
    if (this.#next) return this.#next;
    let next = this.#oldest.next();
    if (next.done) {
      // An iterator that has ended sees nothing that comes later.
      this.#oldest = this.#entries.entries();
      next = this.#oldest.next();
    }
    this.#next = next.value;
    return this.#next;
  }
}
