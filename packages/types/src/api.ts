import type { Operations, service } from './gen/operations.gen.ts';

/** The identifier of an operation. */
export type OperationId = keyof Operations;

type ListedCode = keyof (typeof service)['statuses'];

/** A value of `code` in an error. Any string, if the spec does not list the values. */
export type ServiceErrorCode = [ListedCode] extends [never] ? string : ListedCode & string;

/** The parameters at one place. Without any: `unknown`, because `T & unknown` is `T`. */
type ParametersIn<Place extends string, Data> = Data extends { readonly [P in Place]?: infer Value }
  ? [Value] extends [undefined]
    ? unknown
    : NonNullable<Value>
  : unknown;
type Flat<T> = { [K in keyof T]: T[K] };

/**
 * The input of an operation: its parameters and the properties of its body as one object, or the
 * body as `body`.
 */
export type Input<Id extends OperationId> = Flat<
  ParametersIn<'path', Operations[Id]['data']> &
    ParametersIn<'query', Operations[Id]['data']> &
    ParametersIn<'headers', Operations[Id]['data']> &
    Operations[Id]['body']
>;

/** What an operation returns if it succeeds. */
export type Result<Id extends OperationId> = Operations[Id]['response'];

/** The arguments of an operation. The input is optional if the operation requires no input. */
export type Arguments<Id extends OperationId> =
  Record<never, never> extends Input<Id> ? [input?: Input<Id>] : [input: Input<Id>];

/** The service as one type, with a function for each operation. */
export type Api = {
  [Id in OperationId]: (...input: Arguments<Id>) => Promise<Result<Id>>;
};
