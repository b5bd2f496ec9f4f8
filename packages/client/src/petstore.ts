import type { Api, Input, OperationId } from '@petstore/types';
import { type CallOptions, type Connection, connect, type Options } from './connection.ts';
import * as calls from './gen/calls.gen.ts';

/** The service as an object: every operation of `Api`, each with options for one call alone. */
export type Petstore = {
  [Id in OperationId]: (...args: [...Parameters<Api[Id]>, options?: CallOptions]) => ReturnType<Api[Id]>;
};

/** Offers the whole service. */
export function petstore(options: Options): Petstore {
  const connection = connect(options);
  const bound = Object.entries(calls).map(([id, call]) => [
    id,
    (input: Input<OperationId>, callOptions?: CallOptions) =>
      (call as (connection: Connection, input: object, options?: CallOptions) => unknown)(
        connection,
        input,
        callOptions,
      ),
  ]);
  return Object.fromEntries(bound);
}
