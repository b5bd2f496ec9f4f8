export type * from '@petstore/types';
export type { Credential, UserAndPassword } from './authorize.ts';
export type { Body } from './build-request.ts';
export { type Call, type DataAndResponse, type Outcome, outcome } from './call.ts';
export {
  type CallOptions,
  type Connection,
  type ConnectOptions,
  connect,
  type Deployment,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from './connection.ts';
export type { DeprecationNotice } from './deprecation.ts';
export { withEnvironment } from './environment.ts';
export {
  AbortedError,
  type CallError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PetstoreError,
  RateLimitedError,
  ServerError,
  TimeoutError,
  UnauthorizedError,
  UnexpectedResponseError,
} from './errors.ts';
export * from './gen/calls.gen.ts';
export { type Hooks, type Logger, type LogLevel, type ObserveOptions, observe, type ShownRequest } from './observe.ts';
export { nextPage } from './page-rules.ts';
export { type Page, type Paged, pages } from './pages.ts';
export { type Options, type Petstore, petstore } from './petstore.ts';
export { type RawRequest, request } from './request.ts';
export { mayRetry, type Retry } from './retry.ts';
