import { type ApiError, type ErrorCode, service } from '@petstore/types';

/** A request that fails for a reason the caller is told. Thrown where it is noticed, answered in one place. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    about: { status?: number; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: about.cause });
    this.code = code;
    this.status = about.status ?? service.statuses[code];
    this.headers = about.headers ?? {};
  }

  /** The body that answers it. */
  body(): ApiError {
    return { code: this.code, message: this.message, status: this.status };
  }
}

/** A failure of a status that some library chose. */
export function failureOf(status: number, message: string, cause?: unknown): Failure {
  const named = Object.entries(service.statuses).find(([, known]) => known === status);
  return new Failure((named?.[0] as ErrorCode) ?? 'invalid_request', message, { status, cause });
}
