import type { Operations } from './gen/operations.gen.ts';

/** The name of an operation. */
export type OperationId = keyof Operations;

type Part<Data, Name extends string> = Data extends { readonly [N in Name]?: infer Value }
  ? [Value] extends [undefined]
    ? unknown
    : NonNullable<Value>
  : unknown;
type Flat<T> = { [K in keyof T]: T[K] };

/** What an operation takes: its parameters and the members of its body, side by side. */
export type Input<Id extends OperationId> = Flat<
  Part<Operations[Id]['data'], 'path'> &
    Part<Operations[Id]['data'], 'query'> &
    Part<Operations[Id]['data'], 'headers'> &
    Part<Operations[Id]['data'], 'body'>
>;

/** What an operation answers when it succeeds. */
export type Result<Id extends OperationId> = Operations[Id]['response'];

/** The arguments of an operation: its input may be left out where nothing in it is required. */
export type Arguments<Id extends OperationId> =
  Record<never, never> extends Input<Id> ? [input?: Input<Id>] : [input: Input<Id>];

/** The whole service: the server implements it, the client offers it, petctl calls it. */
export type Api = {
  [Id in OperationId]: (...input: Arguments<Id>) => Promise<Result<Id>>;
};
