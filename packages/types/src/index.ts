export type { Api, Arguments, Input, OperationId, Result, ServiceErrorCode } from './api.ts';
export { closest } from './closest.ts';
export {
  deployments,
  type Operations,
  operations,
  schemas,
  service,
  version,
} from './gen/operations.gen.ts';
export type * from './gen/types.gen.ts';
export {
  exactJson,
  InexactNumberError,
  isInt64,
  parseExact,
  parseScalar,
  repeatedKey,
} from './json.ts';
export type {
  Field,
  IdempotencyKey,
  Operation,
  OperationResponse,
  Pagination,
  Schema,
} from './operation.ts';
export { propertiesOf, resolved, typeIn, typesOf } from './schema.ts';
