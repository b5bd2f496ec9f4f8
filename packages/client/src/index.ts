export {
  type Api,
  type Arguments,
  exactJson as stringify,
  type OperationId,
  type Result,
  type ServiceErrorCode,
} from '@petstore/types';
export type { Call, Outcome, Success } from './call.ts';
export {
  AbortedError,
  type CallError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PetstoreError,
  RateLimitedError,
  ResponseError,
  ServerError,
  TimeoutError,
  UnauthorizedError,
  UnexpectedResponseError,
} from './errors.ts';
export type * from './gen/types.gen.ts';
export type { Input } from './input.ts';
export type {
  CallOptions,
  ConditionalOptions,
  Deployment,
  Hooks,
  Options,
  Retry,
} from './options.ts';
export type { Page, PageCall } from './pages.ts';
export { type Petstore, petstore } from './petstore.ts';
