import type { ServiceErrorCode } from '@petstore/types';
import type { Answer } from './connection.ts';

/** An answer came, but not the one that was asked for. Its subclasses tell the reasons apart. */
export class PetstoreError extends Error {
  override readonly name: string = 'PetstoreError';
  declare readonly status: number;
  /** The service's own word for it; `undefined` when the answer did not come from the service. */
  declare readonly code: ServiceErrorCode | undefined;
  /** Names the request in the logs of the server. */
  declare readonly requestId: string | undefined;
  declare readonly headers: Answer['headers'];
  declare readonly response: Answer;

  constructor(response: Answer, message: string, code?: ServiceErrorCode) {
    super(message);
    const { status, headers } = response;
    Object.assign(this, { status, code, headers, response, requestId: headers.get('x-request-id') ?? undefined });
  }
}

/** 401: the key is missing, wrong or revoked. */
export class UnauthorizedError extends PetstoreError {
  override readonly name = 'UnauthorizedError';
}

/** 404: there is no such thing. */
export class NotFoundError extends PetstoreError {
  override readonly name = 'NotFoundError';
}

/** 429: too many requests with this key, even after the retries. */
export class RateLimitedError extends PetstoreError {
  override readonly name = 'RateLimitedError';
}

/** Any other 4xx: the service does not take the request as it is. */
export class InvalidRequestError extends PetstoreError {
  override readonly name = 'InvalidRequestError';
}

/** 5xx: the service failed, even after the retries. */
export class ServerError extends PetstoreError {
  override readonly name = 'ServerError';
}

/** The service could not be reached, or the connection broke before the whole answer was there. `cause` says how. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** The call took longer than it may, retries and waiting included. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/** The caller's signal ended the call. `cause` is the signal's reason. */
export class AbortedError extends Error {
  override readonly name = 'AbortedError';
}

/** By status, or by its first digit. */
const CLASSES: Record<number, typeof PetstoreError> = {
  401: UnauthorizedError,
  404: NotFoundError,
  429: RateLimitedError,
  4: InvalidRequestError,
  5: ServerError,
};

/** The class of the errors that come with a status. */
export function classOf(status: number): typeof PetstoreError {
  return CLASSES[status] ?? CLASSES[Math.floor(status / 100)] ?? PetstoreError;
}
