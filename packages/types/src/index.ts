export type { Api, Arguments, Input, OperationId, Result } from './api.ts';
export { type Operations, operations } from './gen/operations.gen.ts';
export { deployments, service, version } from './gen/service.gen.ts';
export type * from './gen/types.gen.ts';
export type { Field, Operation, Value } from './operation.ts';
