export type * from '@petstore/types';
export type { Call, Outcome } from './call.ts';
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
export type { CallOptions, Deployment, Hooks, Options, Retry } from './options.ts';
export type { PageCall } from './pages.ts';
export { type Petstore, petstore } from './petstore.ts';
