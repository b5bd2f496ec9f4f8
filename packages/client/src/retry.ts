import { ConnectionError, PetstoreError } from './errors.ts';

export interface Retry {
  /** Tries after the first one. */
  readonly limit: number;
  /** Milliseconds that the first wait is at most; each further one may be twice as long. */
  readonly base: number;
  /** Milliseconds that no wait exceeds, whatever the service asks for. */
  readonly cap: number;
}

const usual: Retry = { limit: 2, base: 500, cap: 20_000 };

/** Settles how to try again; what is not said stays as it was. */
export function retryOf(given: number | Partial<Retry> | undefined, before = usual): Retry {
  return { ...before, ...(typeof given === 'number' ? { limit: given } : given) };
}

/** Whether trying again may help, and cannot do a second time what should be done once. */
export function mayRetry(method: string, error: unknown): boolean {
  const { code, status = 0 } = error as Partial<PetstoreError>;
  return (
    // These two say that nothing was done, if it is the service itself that says them.
    code === 'rate_limited' ||
    code === 'unavailable' ||
    neverConnected(error as object) ||
    // Methods of which HTTP says that doing it twice is as good as once.
    (/^(GET|HEAD|PUT|DELETE)$/.test(method) &&
      (error instanceof ConnectionError || status === 408 || status === 429 || status >= 500))
  );
}

/** Whether a connection was never made, so that not one byte has arrived. fetch puts what the system says one cause deeper. */
function neverConnected({ cause }: { cause?: { code?: string; cause?: { code?: string } } }): boolean {
  return /REFUSED|NOTFOUND|EAI_AGAIN|UNREACH|CONNECT_TIMEOUT/.test(`${cause?.code} ${cause?.cause?.code}`);
}

/** Milliseconds to wait: what the service asks for, or a random part of a span that doubles with each attempt. */
export function pause({ base, cap }: Retry, attempt: number, error: unknown): number {
  // `Retry-After` comes as seconds or as a date (RFC 9110). One that is over, or none at all, leaves it to us.
  const after = String(error instanceof PetstoreError && error.headers.get('retry-after'));
  const asked = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  return Math.min(cap, asked >= 0 ? asked : Math.random() * base * 2 ** attempt);
}
