import type { Input, OperationId, Result } from '@petstore/types';
import { buildRequest, type Wire } from './build-request.ts';
import { type Call, createCall } from './call.ts';
import type { CallOptions, Connection } from './connection.ts';
import { execute } from './execute.ts';
import { parseResponse } from './parse-response.ts';

/** Calls an operation: builds its request, authorizes and sends it as often as it takes, and parses the response. */
export function send<Id extends OperationId>(
  connection: Connection,
  wire: Wire<Id>,
  input: Input<Id> | undefined,
  options?: CallOptions,
): Call<Id> {
  const { baseUrl, on, check } = connection;
  return createCall<Id>(wire.id, { input, options }, ({ input, options, url }) =>
    execute(
      connection,
      wire,
      () => {
        const draft = buildRequest(wire, baseUrl, input, options);
        draft.url = url?.(draft.url) ?? draft.url;
        return draft;
      },
      async (response) => {
        (wire.deprecated ?? on.deprecation)?.(wire.id, response, on.deprecated);
        const data = (await parseResponse(response, wire)) as Result<Id>;
        check?.(wire.id, data);
        return { data, response };
      },
      options,
    ),
  );
}
