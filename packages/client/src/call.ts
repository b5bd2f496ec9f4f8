import { deployments, type Input, type OperationId, type Result } from '@petstore/types';
import type { Wire } from './build-request.ts';
import type { Body, CallOptions, Connection, HttpResponse, Transport } from './connection.ts';
import type { CallError } from './errors.ts';
import { type Arguments, type DataAndResponse, execute } from './execute.ts';
import { authorize } from './gen/schemes.gen.ts';
import { parseText } from './parse-response.ts';
import { mayRetry } from './retry.ts';

/** How a call ended, as a value: with data, or with an error. */
export type Outcome<Id extends OperationId> =
  | ({ readonly ok: true } & DataAndResponse<Result<Id>>)
  | { readonly ok: false; readonly error: CallError };

/** A call in progress. Awaited, it returns the data of a success and throws an error otherwise. */
export interface Call<Id extends OperationId> extends Promise<Result<Id>> {
  readonly operation: Id;
  /** The data, and the response that it came in. */
  withResponse(): Promise<DataAndResponse<Result<Id>>>;
  /** Calls the operation again, with changed arguments. */
  repeat(change: (args: Arguments) => Arguments): Promise<DataAndResponse<Result<Id>>>;
}

/** Calls an operation. */
export function send<Id extends OperationId>(
  connection: Connection,
  wire: Wire<Id>,
  input: Input<Id> | undefined,
  options?: CallOptions,
): Call<Id> {
  const args: Arguments = { input, options };
  const first = execute(connection, wire, args);
  const data = first.then((success) => success.data);
  return Object.assign(data, {
    operation: wire.id,
    withResponse: () => {
      // The caller handles a rejection of the returned promise.
      data.catch(() => {});
      return first;
    },
    repeat: (change: (args: Arguments) => Arguments) => execute(connection, wire, change(args)),
  });
}

/** How a call ended, as a value. Rejects only for a mistake in how the call was made, such as an input that cannot be sent. */
export async function outcome<Id extends OperationId>(call: Call<Id>): Promise<Outcome<Id>> {
  try {
    return { ok: true, ...(await call.withResponse()) };
  } catch (error) {
    // Not by its class: the call may be of another copy of this package.
    if ('attempts' in Object(error)) return { ok: false, error: error as CallError };
    throw error;
  }
}

/** A request that the spec does not describe. */
export interface RawRequest {
  readonly method: string;
  /** Appended to the base address, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
}

/** Sends a request that the spec does not describe, with the credentials, time limits, retries and errors of any call. */
export async function request(
  connection: Connection,
  { method, path, headers, body }: RawRequest,
  options: CallOptions = {},
): Promise<{ readonly text: string; readonly response: HttpResponse }> {
  // fetch rejects both, but its error looks like a broken connection.
  if (!/^[\w-]+$/.test(method)) throw new TypeError(`'${method}' cannot be a method`);
  if (body !== undefined && /^(GET|HEAD)$/i.test(method)) throw new TypeError(`a ${method} request has no body`);
  const wire: Wire = {
    // Only messages show it.
    id: `${method} ${path}` as OperationId,
    method,
    path: `/${path.replace(/^\//, '')}`,
    encoders: [
      (draft) => {
        Object.assign(draft.headers, headers);
        if (body !== undefined) draft.body = body;
        if (body instanceof ReadableStream) draft.duplex = 'half';
        return [];
      },
    ],
    authorize,
    ok: /2../,
    parse: parseText,
    mayRetry: (error) => mayRetry(method, error),
  };
  // No operation of the spec is called.
  const transport: Transport = ({ operation: _, ...request }) => connection.transport(request);
  const { data, response } = await execute({ ...connection, check: undefined, transport }, wire, {
    input: {},
    options,
  });
  // The request is parsed as text, which the types of the operations do not know.
  return { text: data as unknown as string, response };
}

/**
 * The connection to the server that the spec names for one operation. A base address that the spec does not name, such
 * as that of a test server, is the caller's choice for all operations.
 */
export function atServer(connection: Connection, server: string): Connection {
  const { baseUrl } = connection;
  const named = Object.values<string>(deployments).filter((url) => URL.canParse(url));
  const isOther = named.length > 0 && !named.some((url) => bare(url) === bare(baseUrl));
  return isOther ? connection : { ...connection, baseUrl: bare(server, baseUrl) };
}

/** A URL in normal form, without a default port and without slashes at the end. */
const bare = (url: string, base?: string) => new URL(url, base).href.replace(/\/+$/, '');
