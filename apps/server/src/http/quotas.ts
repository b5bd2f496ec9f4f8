const WINDOW_MS = 60_000;

/** The state of a key's quota after a request. */
export interface Quota {
  /** The time until the next request is allowed; 0 if this one is. */
  retryAfterMs: number;
  remaining: number;
  /** The time until the whole quota is restored. */
  restoredMs: number;
}

/**
 * A rate limit per key: a burst of up to `perMinute` requests, refilled evenly. Processes that share the limit exchange the
 * requests that they have counted.
 */
export class Quotas {
  readonly #perMinute: number;
  readonly #intervalMs: number;
  readonly #now: () => number;
  /** By key, the time at which its whole quota is restored. */
  readonly #restored = new Map<string, number>();
  #newlyUsed: Record<string, number> = {};

  constructor(perMinute: number, now = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#intervalMs = WINDOW_MS / perMinute;
    this.#now = now;
  }

  get policy(): string {
    return `"per-key";q=${this.#perMinute};w=${WINDOW_MS / 1000}`;
  }

  /** Counts a request, unless the quota of its key is used up. */
  use(key: string): Quota {
    const at = this.#now();
    const before = Math.max(at, this.#restored.get(key) ?? 0);
    const missing = before + this.#intervalMs - at - WINDOW_MS;
    const after = missing > 0 ? before : before + this.#intervalMs;
    this.#restored.set(key, after);
    if (missing <= 0) this.#newlyUsed[key] = (this.#newlyUsed[key] ?? 0) + 1;
    // The small addend absorbs the rounding errors of fractions of a millisecond.
    const remaining = Math.max(0, Math.floor((WINDOW_MS - (after - at)) / this.#intervalMs + 1e-3));
    return { retryAfterMs: Math.max(0, missing), remaining, restoredMs: after - at };
  }

  /** Counts requests that other processes have served. */
  add(used: Readonly<Record<string, number>>): void {
    for (const [key, requests] of Object.entries(used)) {
      this.#restored.set(key, Math.max(this.#now(), this.#restored.get(key) ?? 0) + requests * this.#intervalMs);
    }
  }

  /** The requests by key that this process has counted since the last call; undefined without any. */
  newlyUsed(): Record<string, number> | undefined {
    const used = this.#newlyUsed;
    if (Object.keys(used).length === 0) return undefined;
    this.#newlyUsed = {};
    return used;
  }

  /** The requests by key that are not restored yet. */
  used(): Record<string, number> {
    const at = this.#now();
    const used = [...this.#restored].map(([key, moment]): [string, number] => [key, (moment - at) / this.#intervalMs]);
    return Object.fromEntries(used.filter(([, requests]) => requests > 0));
  }
}
