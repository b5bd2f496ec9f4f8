export type * from '@petstore/types';
export {
  type CallOptions,
  type Connection,
  connect,
  type Deployment,
  type Options,
  type Transport,
} from './connection.ts';
export { ConnectionError, PetstoreError } from './errors.ts';
export * from './gen/calls.gen.ts';
export { type Petstore, petstore } from './petstore.ts';
export type { Call } from './send.ts';
