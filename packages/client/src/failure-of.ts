import type { OperationId, Operations } from '@petstore/types';
import type {
  AbortedError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  RateLimitedError,
  ServerError,
  TimeoutError,
  UnauthorizedError,
} from './errors.ts';

interface ByStatus {
  400: InvalidRequestError;
  401: UnauthorizedError;
  404: NotFoundError;
  429: RateLimitedError;
  /** Whatever else the service may answer. */
  default: InvalidRequestError | RateLimitedError | ServerError;
}

/** The errors that an operation can end with, by the statuses that the spec declares for it. */
export type FailureOf<Id extends OperationId> =
  | ByStatus[keyof Operations[Id]['errors'] & keyof ByStatus]
  | ConnectionError
  | TimeoutError
  | AbortedError;
