export type { Api, Arguments, Input, OperationId, Result, ServiceErrorCode } from './api.ts';
export { closest } from './closest.ts';
export type { Operations } from './gen/operation-types.gen.ts';
export { operations, schemas } from './gen/operations.gen.ts';
export { deployments, service, version } from './gen/service.gen.ts';
export type * from './gen/types.gen.ts';
export { exactJson, exactReplacer, isRounded, parseExact, repeatedKey, roundedNumber } from './json.ts';
export { int64Of, isExactNumber, isInt64, parseScalar } from './numbers.ts';
export {
  type BodyKind,
  type Field,
  type IdempotencyKey,
  type JsonType,
  type Operation,
  type OperationResponse,
  type Pagination,
  type PropertyEncoding,
  pathFieldsOf,
  type RequestBody,
  responseOf,
  type Schema,
  type SecurityScheme,
  type Serialization,
} from './operation.ts';
export {
  alternativesOf,
  hasSafeBounds,
  isBinary,
  isWide,
  mayBeWide,
  partsOf,
  propertiesOf,
  propertySchemasOf,
  resolved,
  typeIn,
  typeOf,
  typesOf,
} from './schema.ts';
export { violationOf } from './violation.ts';
