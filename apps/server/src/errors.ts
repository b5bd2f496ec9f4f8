import { type ServiceErrorCode, service } from '@petstore/types';
import {
  KeyReusedError,
  StoreError,
  UnavailableError,
  UnknownOutcomeError,
} from './store/store.ts';

type Details = { status?: number; headers?: Record<string, string>; cause?: unknown };

/** An error for the caller. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly code: ServiceErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ServiceErrorCode,
    message: string,
    { status, headers = {}, cause }: Details = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.status = status ?? service.statuses[code];
    this.headers = headers;
  }

  /** The body of the response. */
  get json(): string {
    return JSON.stringify({ code: this.code, message: this.message, status: this.status });
  }
}

/** An error for whoever runs the server or one of its commands. It is printed in one line. */
export class UsageError extends Error {}

export function invalid(message: string): HttpError {
  return new HttpError('invalid_request', message);
}

/** An error of the message itself: nothing that follows on the connection can be trusted. */
export function malformed(message: string, status = 400): HttpError {
  return new HttpError('invalid_request', message, { status, headers: { Connection: 'close' } });
}

/** The error for a target that is not well-formed, or leads nowhere. */
export function nothingAt({
  path,
  isWellFormed,
}: {
  path: string;
  isWellFormed: boolean;
}): HttpError {
  if (!isWellFormed) return invalid('The target of the request is malformed.');
  return new HttpError('not_found', `There is nothing at ${path}.`);
}

export function notAllowed(method: string, allow: string): HttpError {
  const message = `${method} is not supported here. Use one of ${allow}.`;
  return new HttpError('method_not_allowed', message, { headers: { Allow: allow } });
}

/** Nothing was done; trying again may help. */
export function unavailable(message: string, cause?: unknown): HttpError {
  return new HttpError('unavailable', message, { headers: { 'Retry-After': '1' }, cause });
}

/** Turns everything thrown into an error for the caller. Its cause is for the log only. */
export function asHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof UnavailableError)
    return unavailable('The store cannot do this now. Retry later.', error);
  if (error instanceof KeyReusedError) {
    const message =
      'This Idempotency-Key belongs to another request. Nothing was done. Use another key.';
    return new HttpError('idempotency_key_reused', message);
  }
  if (error instanceof UnknownOutcomeError) {
    // Not `unavailable`, which promises that nothing was done.
    const message =
      'The outcome is unknown. Retry with the same Idempotency-Key, or check what was done.';
    return new HttpError('internal_error', message, {
      status: 503,
      headers: { 'Retry-After': '1' },
      cause: error,
    });
  }
  const message =
    'The server failed. Report the X-Request-Id of this response: the log has the cause.';
  return new HttpError('internal_error', message, { cause: error });
}

/** The line that reports an error of a command; with the stack if nobody expected it. */
export function lineOf(error: unknown): string {
  // A pipe that `head` has closed is no fault.
  const isExpected =
    error instanceof UsageError ||
    error instanceof StoreError ||
    /^(EPIPE|ENOSPC)$/.test(Object(error).code);
  return isExpected
    ? (error as Error).message
    : String(error instanceof Error ? error.stack : error);
}
