import type { Input, OperationId, Result } from '@petstore/types';
import { type Call, callOf } from './call.ts';
import type { CallOptions, Connection } from './connection.ts';
import { deliver } from './deliver.ts';
import { tellDeprecation } from './deprecation.ts';
import { ConnectionError } from './errors.ts';
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
          const isLink = typeof page === 'string';
          const placed = place(wire, { ...input, ...(isLink ? {} : page) });
          const url = connection.baseUrl + placed.url;
          return { ...placed, url: isLink ? sameOrigin(page, url) : url };
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

/** Where a link leads. The key goes only where the caller sent it. */
function sameOrigin(link: string, from: string): string {
  const { origin, href } = new URL(link, from);
  if (origin !== new URL(from).origin) throw new ConnectionError(`the next page is at ${origin}, another host`);
  return href;
}
