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
  return typeof given === 'number' ? { ...before, limit: given } : { ...before, ...given };
}

/** Methods of which HTTP says that doing it twice is as good as once. */
const repeatable = ['GET', 'HEAD', 'PUT', 'DELETE'];

/** What systems call it when a connection was never made, so that not one byte has arrived. */
const neverConnected = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

/** Whether trying again may help, and cannot do a second time what should be done once. */
export function mayRetry(method: string, error: Error): boolean {
  if (error instanceof ConnectionError) return repeatable.includes(method) || neverConnected.test(systemCode(error));
  if (!(error instanceof PetstoreError)) return false;
  // These two say that nothing was done, if it is the service itself that says them.
  if (error.code === 'rate_limited' || error.code === 'unavailable') return true;
  return repeatable.includes(method) && (error.status === 408 || error.status === 429 || error.status >= 500);
}

/** What the system called it; fetch wraps it in an error of its own. */
function systemCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : systemCode(error.cause);
}

/** Milliseconds to wait: what the service asks for, or a random part of a span that doubles with each attempt. */
export function pause({ base, cap }: Retry, attempt: number, error: Error): number {
  const asked = error instanceof PetstoreError ? retryAfter(error.headers.get('retry-after')) : undefined;
  return Math.min(cap, asked ?? Math.random() * base * 2 ** attempt);
}

/** `Retry-After` in milliseconds: it comes as seconds or as a date (RFC 9110). */
function retryAfter(value: string | null): number | undefined {
  if (!value) return undefined;
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}
