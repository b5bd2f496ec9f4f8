import type { Operations, service } from './gen/operations.gen.ts';

/** The identifier of an operation. */
export type OperationId = keyof Operations;

type ListedCode = keyof (typeof service)['statuses'];

/** A value of `code` in an error. Any text, if the spec does not list the values. */
export type ServiceErrorCode = [ListedCode] extends [never] ? string : ListedCode & string;

/**
 * The type of a property, or `unknown`, which changes nothing in an intersection, if the data has
 * none.
 */
type Part<Data, Name extends string> = Data extends { readonly [N in Name]?: infer Value }
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
  Part<Operations[Id]['data'], 'path'> &
    Part<Operations[Id]['data'], 'query'> &
    Part<Operations[Id]['data'], 'headers'> &
    Operations[Id]['body']
>;

/** The data of an operation's success. */
export type Result<Id extends OperationId> = Operations[Id]['response'];

/** The arguments of an operation. The input is optional if nothing in it is required. */
export type Arguments<Id extends OperationId> =
  Record<never, never> extends Input<Id> ? [input?: Input<Id>] : [input: Input<Id>];

/**
 * The whole service as one function per operation: the server implements it, the client offers it,
 * petctl calls it.
 */
export type Api = {
  [Id in OperationId]: (...input: Arguments<Id>) => Promise<Result<Id>>;
};
