import type { ApiError, ErrorCode } from '@petstore/types';

const statuses: Record<ErrorCode, number> = {
  invalid_request: 400,
  unauthorized: 401,
  not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  unavailable: 503,
  internal_error: 500,
};

/** A request that fails for a reason the caller is told. Thrown where it is noticed, answered by `answerFailure`. */
export class Failure extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { status?: number; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'Failure';
    this.code = code;
    this.status = options.status ?? statuses[code];
    this.headers = options.headers ?? {};
  }

  /** The body that answers it. */
  body(): ApiError {
    return { code: this.code, message: this.message, status: this.status };
  }
}

/** The code for a status that some library chose. */
export function codeOf(status: number): ErrorCode {
  const named = Object.entries(statuses).find(([, known]) => known === status);
  if (named) return named[0] as ErrorCode;
  return status < 500 ? 'invalid_request' : 'internal_error';
}
