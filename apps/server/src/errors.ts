// The errors that a caller gets, and those that whoever runs the server or a command gets.
import { type ServiceErrorCode, service } from '@petstore/types';
import {
  KeyReusedError,
  StoreError,
  UnavailableError,
  UnknownOutcomeError,
} from './store/store.ts';

interface Details {
  /** Default: the status of the code in the spec. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** It goes to the log only. */
  readonly cause?: unknown;
}

/** An error for the caller. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly code: ServiceErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ServiceErrorCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.status = details.status ?? service.statuses[code];
    this.headers = details.headers ?? {};
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
export function nothingAt(target: { path: string; isWellFormed: boolean }): HttpError {
  if (!target.isWellFormed) return invalid('The target of the request is malformed.');
  return new HttpError('not_found', `There is nothing at ${target.path}.`);
}

export function notAllowed(method: string, allow: string): HttpError {
  const message = `${method} is not supported here. Use one of ${allow}.`;
  return new HttpError('method_not_allowed', message, { headers: { Allow: allow } });
}

const RETRY_SOON = { 'Retry-After': '1' };

/** Nothing was done; trying again may help. */
export function unavailable(message: string, cause?: unknown): HttpError {
  return new HttpError('unavailable', message, { headers: RETRY_SOON, cause });
}

/** A request with the same idempotency key is running. */
export function inFlight(): HttpError {
  const message = 'A request with this Idempotency-Key is still running. Retry later.';
  return new HttpError('request_in_flight', message, { headers: RETRY_SOON });
}

/** Turns everything thrown into an error for the caller. */
export function asHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof UnavailableError)
    return unavailable('The store cannot do this now. Retry later.', error);
  if (error instanceof KeyReusedError) {
    const message =
      'This Idempotency-Key belongs to another request. Nothing was done. Use another key.';
    return new HttpError('idempotency_key_reused', message);
  }
  if (error instanceof UnknownOutcomeError) return unknownOutcome(error);
  const message =
    'The server failed. Report the X-Request-Id of this response: the log has the cause.';
  return new HttpError('internal_error', message, { cause: error });
}

/** Its code is not `unavailable`, which promises that nothing was done. */
function unknownOutcome(cause: UnknownOutcomeError): HttpError {
  const message =
    'The outcome is unknown. Retry with the same Idempotency-Key, or check what was done.';
  return new HttpError('internal_error', message, { status: 503, headers: RETRY_SOON, cause });
}

/** The line that reports an error of a command; with the stack if nobody expected it. */
export function lineOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected =
    error instanceof UsageError || error instanceof StoreError || isClosedOrFull(error);
  return isExpected ? error.message : String(error.stack);
}

/** Whether the output of a command is a pipe that `head` has closed, or on a full disk. */
function isClosedOrFull(error: Error): boolean {
  const code = codeOf(error);
  return code === 'EPIPE' || code === 'ENOSPC';
}

/** The code of an error of the system, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
