import type { ApiError, ErrorCode } from '@petstore/types';
import type { Answer } from './connection.ts';

/** What an error knows of the answer that it came with. */
export interface Refusal {
  readonly status: number;
  /** The service's own word for it; absent when the answer did not come from the service. */
  readonly code?: ErrorCode | undefined;
  readonly message: string;
  readonly response: Answer;
}

/** An answer came, but not the one that was asked for. Its subclasses tell the reasons apart. */
export class PetstoreError extends Error {
  override readonly name: string = 'PetstoreError';
  readonly status: number;
  /** The service's own word for it; `undefined` when the answer did not come from the service. */
  readonly code: ErrorCode | undefined;
  /** Names the request in the logs of the server. */
  readonly requestId: string | undefined;
  readonly headers: Answer['headers'];
  readonly response: Answer;

  constructor({ status, code, message, response }: Refusal) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.headers = response.headers;
    this.response = response;
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

/** The error for an answer that is no success. A body that is no Error, a proxy's page say, is quoted. */
export function refusal(response: Answer, text: string): PetstoreError {
  const { status } = response;
  const { code, message } = errorIn(text) ?? { message: `${status}${quote(text)}` };
  const Class =
    status === 401
      ? UnauthorizedError
      : status === 404
        ? NotFoundError
        : status === 429
          ? RateLimitedError
          : status >= 500
            ? ServerError
            : status >= 400
              ? InvalidRequestError
              : PetstoreError;
  return new Class({ status, code, message, response });
}

/** The first part of a text, for a message. */
export function quote(text: string): string {
  return text ? `: ${text.slice(0, 200)}` : ' without a body';
}

function errorIn(text: string): (Pick<ApiError, 'message'> & Partial<ApiError>) | undefined {
  try {
    const body: Partial<ApiError> | null = JSON.parse(text);
    if (typeof body?.code === 'string' && typeof body.message === 'string') return body as ApiError;
  } catch {
    // Whoever answered does not speak JSON; the caller sees what it said.
  }
  return undefined;
}
