import type { PetstoreError } from './errors.ts';

/** How to try again. */
export interface Retry {
  /** Attempts after the first one. */
  readonly limit: number;
  /** The first wait is at most this many milliseconds; each further one may be twice as long. */
  readonly base: number;
  /** No wait is longer than this many milliseconds. A service that asks for a longer one ends the call. */
  readonly cap: number;
}

const DEFAULT_RETRY: Retry = { limit: 2, base: 500, cap: 20_000 };

/** How to try again; what is not given stays as it was. */
export function retryFrom(options: number | Partial<Retry> | undefined, defaults = DEFAULT_RETRY): Retry {
  return { ...defaults, ...(typeof options === 'number' ? { limit: options } : options) };
}

/** Whether trying again may help, and cannot do twice what should be done once. HTTP says which methods may be repeated. */
export function mayRetry(
  method: string,
  error: unknown,
  isRepeatable = /^(GET|HEAD|PUT|DELETE)$/.test(method),
): boolean {
  const { name, code, status = '', cause } = error as Partial<PetstoreError> & { cause?: Cause };
  return (
    // The service itself promises with these codes that nothing was done, or that an attempt before is still worked on; or no
    // connection was made, so not one byte has arrived. fetch puts the system's error one cause deeper.
    /rate_limited|unavailable|in_flight|REFUSED|NOTFOUND|EAI_AGAIN|UNREACH|CONNECT_TIMEOUT/.test(
      `${code} ${cause?.code} ${cause?.cause?.code}`,
    ) ||
    (isRepeatable && /Connection|Timeout|408|429|5../.test(`${name}${status}`))
  );
}

interface Cause {
  readonly code?: string;
  readonly cause?: { readonly code?: string };
}

/** Milliseconds to wait: what the service asks for, or a random part of a span that doubles with each attempt. */
export function retryDelay({ base, cap }: Retry, attempts: number, error: unknown): number {
  // `Retry-After` is in seconds or a date (RFC 9110).
  const after = `${(error as Partial<PetstoreError>).headers?.get('retry-after')}`;
  const requested = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  return requested >= 0 ? requested : Math.min(cap, Math.random() * base * 2 ** (attempts - 1));
}
