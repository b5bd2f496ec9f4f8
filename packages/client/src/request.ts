import type { Body } from './build-request.ts';
import type { CallOptions, Connection, HttpResponse } from './connection.ts';
import { execute } from './execute.ts';
import { authorize } from './gen/schemes.gen.ts';
import { parseResponse, parseText } from './parse-response.ts';

/** A request that no function of this package makes. */
export interface RawRequest {
  readonly method: string;
  /** Appended to the base address, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
}

/** Sends a request that the spec does not describe, with the credentials, time limits, retries and errors of any call. */
export function request(
  connection: Connection,
  { method, path, headers, body }: RawRequest,
  options: CallOptions = {},
): Promise<{ readonly text: string; readonly response: HttpResponse }> {
  return execute(
    connection,
    { id: `${method} ${path}`, method, authorize },
    () => {
      // fetch would refuse both only after they look like a broken connection.
      if (!/^[\w-]+$/.test(method)) throw new TypeError(`'${method}' cannot be a method`);
      if (body !== undefined && /^(GET|HEAD)$/i.test(method)) throw new TypeError(`a ${method} request has no body`);
      return {
        url: `${connection.baseUrl}/${path.replace(/^\//, '')}`,
        headers: { ...headers },
        ...(body !== undefined && { body }),
        ...(body instanceof ReadableStream && { duplex: 'half' as const }),
      };
    },
    async (response) => ({ text: String(await parseResponse(response, { ok: /2../, parse: parseText })), response }),
    options,
  );
}
