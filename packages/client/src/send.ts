import type { Input, OperationId, Result } from '@petstore/types';
import { type Call, callOf } from './call.ts';
import type { CallOptions, Connection } from './connection.ts';
import { deliver } from './deliver.ts';
import { tellDeprecation } from './deprecation.ts';
import { place, type Wire } from './place.ts';
import { readJson } from './read.ts';

/** Starts one operation. */
export function send<Id extends OperationId>(
  connection: Connection,
  wire: Wire<Id>,
  input: Input<Id> | undefined,
  options?: CallOptions,
): Call<Id> {
  return callOf<Id>(
    (page, stop) =>
      deliver(
        connection,
        wire,
        () => {
          const placed = place(wire, { ...input, ...page?.input });
          const url = connection.baseUrl + placed.url;
          return { ...placed, url: page?.url?.(url) ?? url };
        },
        async (response, text) => {
          tellDeprecation(wire.id, wire.deprecated, response, connection.on.deprecated);
          const data = (await (wire.read ?? readJson)(response, text)) as Result<Id>;
          connection.check?.(wire.id, data);
          return { data, response };
        },
        options,
        stop,
      ),
    wire.pages,
  );
}
