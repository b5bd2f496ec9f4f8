import type { Api, OperationId } from '@petstore/types';
import type { Call } from './call.ts';
import { type CallOptions, type Connection, connect, type Options } from './connection.ts';
import * as calls from './gen/calls.gen.ts';

/** The whole service as an object: every operation of `Api`, each with options for one call alone. */
export type Petstore = {
  [Id in OperationId]: (...args: [...Parameters<Api[Id]>, options?: CallOptions]) => Call<Id>;
};

type AnyCall = (connection: Connection, ...args: unknown[]) => unknown;

/** Offers the whole service. Where only a few operations are used, `connect` and their functions make a smaller bundle. */
export function petstore(options?: Options): Petstore {
  const connection = connect(options);
  const bind =
    (call: AnyCall) =>
    (...args: unknown[]) =>
      call(connection, ...args);
  // An object made from entries forgets which name has which function.
  return Object.fromEntries(
    Object.entries(calls).map(([id, call]) => [id, bind(call as AnyCall)]),
  ) as unknown as Petstore;
}
