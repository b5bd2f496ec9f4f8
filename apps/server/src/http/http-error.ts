import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { service } from '../old.ts';
import { IdempotencyMismatchError, StoreUnavailableError, StoreUncertainError } from '../store/errors.ts';
import type { RequestContext } from './request-context.ts';
import type { WriteResponse } from './response.ts';
import { jsonContent } from './response-content.ts';
import { type Violation, violationText } from './validation/violation.ts';

/** The default statuses of the server's error codes. The spec can override them. */
const DEFAULT_STATUSES = {
  invalid_request: 400,
  unauthorized: 401,
  not_found: 404,
  method_not_allowed: 405,
  request_in_flight: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const;

/** An error code that the server uses, or that the spec adds. */
export type ErrorCode = keyof typeof DEFAULT_STATUSES | keyof typeof service.statuses;

const STATUSES: Readonly<Record<ErrorCode, number>> = { ...DEFAULT_STATUSES, ...service.statuses };

/** An error for the caller. `errorWriter` turns it into a response. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { status?: number; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = options.status ?? STATUSES[code];
    this.headers = options.headers ?? {};
  }

  /** The body of every error response. */
  body() {
    return { code: this.code, message: this.message, status: this.status };
  }
}

/** An error with a status, and with the code of this status: `invalid_request` if the status has no code. */
export function errorOfStatus(status: number, message: string): HttpError {
  const codes = Object.keys(STATUSES) as ErrorCode[];
  return new HttpError(codes.find((code) => STATUSES[code] === status) ?? 'invalid_request', message, { status });
}

/** The error 503 for a request that had no effect, so it can be repeated. */
export function unavailable(message: string, cause?: unknown): HttpError {
  return new HttpError('unavailable', message, { headers: { 'Retry-After': '1' }, cause });
}

/** Creates a function that turns anything that was thrown into a JSON error response. Internal details go to the log only. */
export function errorWriter(log: Logger, write: WriteResponse) {
  return (error: unknown, response: ServerResponse, context: RequestContext): void => {
    const httpError = asHttpError(error);
    // An HttpError says everything in its response, so only other errors are logged.
    if (httpError.status >= 500 && httpError !== error) log.error({ requestId: context.requestId, err: error });
    if (response.headersSent) return void response.destroy();
    write(response, context, httpError.status, Object.entries(httpError.headers).flat(), jsonContent(httpError.body()));
  };
}

function asHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof StoreUncertainError) {
    // Not `unavailable`, which promises that nothing was done: a retry could execute the request twice.
    const message =
      'The outcome is unknown. Retry with the same idempotency key, or check whether the change was made.';
    return new HttpError('internal_error', message, { status: 503, headers: { 'Retry-After': '1' }, cause: error });
  }
  if (error instanceof IdempotencyMismatchError) {
    const message =
      'This idempotency key belongs to another request. Nothing was done. Send this request with another key.';
    return new HttpError('idempotency_key_reused', message, { cause: error });
  }
  if (error instanceof StoreUnavailableError) {
    return unavailable('The store cannot do this now. Retry later.', error);
  }
  const message = 'The server failed. Report the X-Request-Id of this response: the log has the cause.';
  return new HttpError('internal_error', message, { cause: error });
}

const MAX_VIOLATIONS_NAMED = 10;

/** The error for violations. Its message names the location and the field of each violation. */
export function invalidRequest(violations: readonly Violation[]): HttpError {
  const texts = [...new Set(violations.map(violationText))];
  const rest = texts.length - MAX_VIOLATIONS_NAMED;
  const named = [...texts.slice(0, MAX_VIOLATIONS_NAMED), ...(rest > 0 ? [`and ${rest} more`] : [])];
  // An invalid path parameter names something that cannot exist, so the error is `not_found`.
  const code = violations.some(({ location }) => location === 'params') ? 'not_found' : 'invalid_request';
  return new HttpError(code, named.join('; '));
}
