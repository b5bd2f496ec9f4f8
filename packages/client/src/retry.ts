import { ConnectionError, ResponseError } from './errors.ts';
import type { Operation, Wire } from './request.ts';

/** The milliseconds to wait after a failed attempt; undefined if the call is not tried again. */
export function retryDelay(
  { wire, settings }: Operation,
  error: unknown,
  attempt: number,
): number | undefined {
  const { limit, base, cap } = settings.retry;
  if (attempt > limit || !isRepeatable(wire) || !isTransient(error)) return undefined;
  const backOff = Math.min(cap, Math.random() * base * 2 ** (attempt - 1));
  const delay = retryAfter(error) ?? backOff;
  return delay <= cap ? delay : undefined;
}

/** Whether a request can be sent twice without a second effect. */
function isRepeatable({ method, idempotencyKey }: Wire): boolean {
  return idempotencyKey !== undefined || ['GET', 'PUT', 'DELETE'].includes(method);
}

/** Whether another attempt may succeed. */
function isTransient(error: unknown): error is ConnectionError | ResponseError {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ResponseError)) return false;
  const { status, code } = error;
  // The service executes another request with this idempotency key: probably an earlier attempt.
  if (code === 'request_in_flight') return true;
  if (status === 408 || status === 429) return true;
  return status >= 500 && status !== 501;
}

/** The milliseconds that the service asks to wait, in seconds or as a date (RFC 9110). */
function retryAfter(error: ConnectionError | ResponseError): number | undefined {
  if (!(error instanceof ResponseError)) return undefined;
  const text = error.headers.get('retry-after') ?? '';
  const isSeconds = /^\d+$/.test(text);
  const milliseconds = isSeconds ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return milliseconds >= 0 ? milliseconds : undefined;
}
