export type * from '@petstore/types';
export type { Credential, UserAndPassword } from './authorize.ts';
export type { Call, Exchange, Outcome } from './call.ts';
export {
  type Answer,
  type CallOptions,
  type Connection,
  connect,
  type Deployment,
  type Hooks,
  type Options,
  type Transport,
  type WireRequest,
} from './connection.ts';
export type { Notice } from './deprecation.ts';
export {
  AbortedError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PetstoreError,
  RateLimitedError,
  ServerError,
  TimeoutError,
  UnauthorizedError,
} from './errors.ts';
export type { FailureOf } from './failure-of.ts';
export * from './gen/calls.gen.ts';
export { nextPage } from './pages.ts';
export { type Petstore, petstore } from './petstore.ts';
export type { Body } from './place.ts';
export { type RawRequest, request } from './request.ts';
export { mayRetry, type Retry } from './retry.ts';
