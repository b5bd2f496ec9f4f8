const WINDOW_MS = 60_000;

/** What is left of a key's requests. */
export interface Quota {
  /** How long nothing is left; 0 where the request was taken. */
  missingMs: number;
  remaining: number;
  /** Until all of it is there again. */
  restoredMs: number;
}

/**
 * The requests of each key: `perMinute` at once after a rest, evenly after that. Processes that share the limits tell each
 * other what they have taken.
 */
export class Quotas {
  readonly #perMinute: number;
  readonly #intervalMs: number;
  readonly #now: () => number;
  /** By key, the moment at which its whole quota is there again. */
  readonly #restored = new Map<string, number>();
  #untold: Record<string, number> = {};

  constructor(perMinute: number, now = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#intervalMs = WINDOW_MS / perMinute;
    this.#now = now;
  }

  get policy(): string {
    return `"per-key";q=${this.#perMinute};w=${WINDOW_MS / 1000}`;
  }

  /** Takes one request, if one is left. */
  take(key: string): Quota {
    const at = this.#now();
    const before = Math.max(at, this.#restored.get(key) ?? 0);
    const missing = before + this.#intervalMs - at - WINDOW_MS;
    const after = missing > 0 ? before : before + this.#intervalMs;
    this.#restored.set(key, after);
    if (missing <= 0) this.#untold[key] = (this.#untold[key] ?? 0) + 1;
    // Sums of fractions of a millisecond are off by a little, which must not count as a whole request or second.
    const remaining = Math.max(0, Math.floor((WINDOW_MS - (after - at)) / this.#intervalMs + 1e-3));
    return { missingMs: Math.max(0, missing), remaining, restoredMs: after - at };
  }

  /** Counts requests that other processes have taken. */
  add(taken: Readonly<Record<string, number>>): void {
    for (const [key, requests] of Object.entries(taken)) {
      this.#restored.set(key, Math.max(this.#now(), this.#restored.get(key) ?? 0) + requests * this.#intervalMs);
    }
  }

  /** The requests that were taken here since the last time; nothing where there were none. */
  news(): Record<string, number> | undefined {
    const news = this.#untold;
    if (Object.keys(news).length === 0) return undefined;
    this.#untold = {};
    return news;
  }

  /** The requests of each key that are not restored yet. */
  all(): Record<string, number> {
    const at = this.#now();
    const used = [...this.#restored].map(([key, moment]): [string, number] => [key, (moment - at) / this.#intervalMs]);
    return Object.fromEntries(used.filter(([, requests]) => requests > 0));
  }
}
