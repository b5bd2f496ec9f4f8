export { atServer, type Call, type Outcome, outcome } from './call.ts';
export { createPet, getPet, listPets } from './calls.ts';
export {
  type CallOptions,
  type Connection,
  type ConnectOptions,
  type Credential,
  connect,
  type Deployment,
  type DeprecationNotice,
  type EnvironmentOptions,
  type HttpRequest,
  type HttpResponse,
  type Retry,
  type Transport,
} from './connection.ts';
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
export { type DataAndResponse, mayRetry } from './execute.ts';
export { type Hooks, type Logger, type LogLevel, type ObserveOptions, observe, type ShownRequest } from './observe.ts';
export type * from './old.ts';
export { type Page, type Paged, pages } from './pages.ts';
export { type Options, type Petstore, petstore, withEnvironment } from './petstore.ts';
