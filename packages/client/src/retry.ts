import { type CallError, ConnectionError, ResponseError } from './errors.ts';
import type { BoundOperation, WireFormat } from './request.ts';

/** The milliseconds to wait after a failed attempt; undefined if there is no further attempt. */
export function retryDelay(
  { wire, settings }: BoundOperation,
  error: CallError,
  attempt: number,
): number | undefined {
  const { limit, base, cap } = settings.retry;
  if (attempt > limit || !isRepeatable(wire)) return undefined;
  // The time is random, so that clients that failed together do not retry together.
  const backOff = Math.min(cap, Math.random() * base * 2 ** (attempt - 1));
  if (error instanceof ConnectionError) return backOff;
  if (!(error instanceof ResponseError) || !isTransient(error)) return undefined;
  const delay = retryAfter(error.headers) ?? backOff;
  return delay <= cap ? delay : undefined;
}

/** Whether a request can be sent twice without a second effect. */
function isRepeatable({ method, idempotencyKey }: WireFormat): boolean {
  return idempotencyKey !== undefined || ['GET', 'PUT', 'DELETE'].includes(method);
}

/** Whether the service may respond differently to the same request. */
function isTransient({ status, code }: ResponseError): boolean {
  // The service still executes a request with this idempotency key, probably an earlier attempt.
  if (code === 'request_in_flight') return true;
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}

/** The milliseconds to wait by the header `Retry-After`: seconds, or a date (RFC 9110). */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  const isSeconds = /^\d+$/.test(text);
  const milliseconds = isSeconds ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return milliseconds >= 0 ? milliseconds : undefined;
}
