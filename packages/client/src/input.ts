import type { Input as ExactInput, OperationId } from '@petstore/types';

/** An optional property may also be `undefined`, which is the same as leaving it out. */
type Absence<T, K extends keyof T> = Record<never, never> extends Pick<T, K> ? undefined : never;

/**
 * The input of an operation: its parameters and the properties of its body as one object, or the
 * body as `body`. A property that is `undefined` is not sent.
 */
export type Input<Id extends OperationId> = {
  [K in keyof ExactInput<Id>]: ExactInput<Id>[K] | Absence<ExactInput<Id>, K>;
};
