import type { ApiError } from '@petstore/types';

/** The service answered, but not with what was asked for. */
export class PetstoreError extends Error {
  override readonly name: string = 'PetstoreError';
  readonly status: number;
  readonly code: ApiError['code'] | undefined;
  readonly requestId: string | undefined;

  constructor(
    message: string,
    about: { status: number; code?: ApiError['code'] | undefined; requestId?: string | undefined },
  ) {
    super(message);
    this.status = about.status;
    this.code = about.code;
    this.requestId = about.requestId;
  }
}

/** The service could not be reached, or the connection broke before it had answered. */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';
}
