import type { ApiError, OperationId, Result } from '@petstore/types';
import type { CallOptions, Connection, WireResponse } from './connection.ts';
import { ConnectionError, PetstoreError } from './errors.ts';

/** What a call gives: the data of a success. A failure rejects. */
export type Call<Id extends OperationId> = Promise<Result<Id>>;

/** How an operation goes on the wire. Input that is named nowhere here goes to the body, or to the query where there is none. */
export interface Wire<Id extends OperationId> {
  readonly id: Id;
  readonly method: string;
  readonly path: string;
  readonly headers?: readonly string[];
  readonly query?: readonly string[];
  readonly body?: true;
}

/** Sends one operation and reads its answer. */
export async function send<Id extends OperationId>(
  connection: Connection,
  wire: Wire<Id>,
  input: object = {},
  options: CallOptions = {},
): Call<Id> {
  const { url, headers, body } = place(wire, input);
  const request = {
    method: wire.method,
    url: connection.baseUrl + url,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${connection.apiKey}`,
      ...headers,
      ...options.headers,
    },
    ...(body !== undefined && { body }),
    ...(options.signal && { signal: options.signal }),
  };
  let response: WireResponse;
  let text: string;
  try {
    response = await connection.transport(request);
    text = await response.text();
  } catch (cause) {
    if (options.signal?.aborted) throw options.signal.reason;
    throw new ConnectionError(`${connection.baseUrl} could not be reached`, { cause });
  }
  if (response.status >= 200 && response.status < 300) return JSON.parse(text);
  throw failure(response, text);
}

/** Puts each input in its place: path, headers, query or body. */
function place(wire: Wire<OperationId>, input: object) {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const take = (name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return value;
  };
  const path = wire.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const segment = encodeURIComponent(String(take(name)));
    // Dots alone would climb to another path.
    if (/^\.{0,2}$/.test(segment)) throw new TypeError(`${wire.id}: '${segment}' cannot be a ${name}`);
    return segment;
  });
  const headers: Record<string, string> = {};
  for (const name of wire.headers ?? []) if (rest.has(name)) headers[name] = String(take(name));
  const inQuery = wire.body ? (wire.query ?? []) : [...rest.keys()];
  const query = new URLSearchParams();
  for (const name of inQuery) if (rest.has(name)) query.append(name, String(take(name)));
  if (wire.body) headers['content-type'] = 'application/json';
  return {
    url: query.size > 0 ? `${path}?${query}` : path,
    headers,
    body: wire.body ? JSON.stringify(Object.fromEntries(rest)) : undefined,
  };
}

function failure(response: WireResponse, text: string): PetstoreError {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  try {
    const { code, message }: ApiError = JSON.parse(text);
    return new PetstoreError(message, { status: response.status, code, requestId });
  } catch {
    return new PetstoreError(`status ${response.status}: ${text.slice(0, 200)}`, {
      status: response.status,
      requestId,
    });
  }
}
