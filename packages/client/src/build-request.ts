import type { OperationId } from '@petstore/types';
import type { Body, CallOptions, Connection, HttpResponse } from './connection.ts';

/** An operation as data, with the functions that its requests and responses need. */
export interface Wire<Id extends OperationId = OperationId> {
  readonly id: Id;
  readonly method: string;
  readonly path: string;
  /** Write the inputs into the request, in this order. */
  readonly encoders: readonly Encoder[];
  /** Adds the credentials, where the operation needs any. */
  readonly authorize?: Authorize | undefined;
  /** The accepted media types; JSON by default. */
  readonly accept?: string;
  /** The statuses of a success; 200 by default. */
  readonly ok?: RegExp;
  /** Parses a success; JSON by default. */
  readonly parse?: Parse;
  /** Whether to retry after an error; by default that of a request that is safe to repeat. */
  readonly mayRetry?: (error: Error) => boolean;
}

/** A request that is being built. */
export interface RequestDraft {
  url: string;
  headers: Record<string, string>;
  body?: Body;
  /** Set for a stream, which can be sent only once. */
  duplex?: 'half';
}

/** Adds the credentials that an operation needs to its request. */
export type Authorize = (draft: RequestDraft, connection: Connection, id: string) => Promise<void>;

/** Parses a success into the data of a call. A bundle contains only the parsers that its operations use. */
export type Parse = (response: HttpResponse) => unknown;

export type Inputs = [name: string, value: unknown][];

/** Writes its inputs into the request and returns the others. A bundle contains only the encoders that its operations use. */
export type Encoder = (draft: RequestDraft, inputs: Inputs, options?: CallOptions, connection?: Connection) => Inputs;

/** The inputs that the path names, each as one segment. */
export const inPath: Encoder = (draft, inputs) => {
  const left = inputs.filter(([name, value]) => {
    if (!draft.url.includes(`{${name}}`)) return true;
    fill(draft, name, encodeURIComponent(String(value)));
    return false;
  });
  const [, missing] = /\{([^}]+)}/.exec(draft.url) ?? [];
  if (missing) throw new TypeError(`'${inputs.find(([name]) => name === missing)?.[1]}' cannot be a ${missing}`);
  return left;
};

/** Puts text in the place of a name in the path. */
export function fill(draft: RequestDraft, name: string, segment: string): void {
  // Dots alone would climb to another path, nothing at all would be another operation.
  if (!/^\.{0,2}$/.test(segment)) draft.url = draft.url.replace(`{${name}}`, () => segment);
}

/** A key that makes the request safe to repeat, the same one in all attempts of a call. */
export function withIdempotencyKey(header: string): Encoder {
  return (draft, inputs, options) => {
    // Browsers have `randomUUID` on secure pages only.
    const [, value] = Object.entries(options?.headers ?? {}).find(([name]) => name.toLowerCase() === header) ?? [];
    draft.headers[header] = options?.idempotencyKey ?? value ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
    return inputs;
  };
}

/** The inputs of these names, as headers. */
export function inHeaders(...names: string[]): Encoder {
  return some(names, (draft, inputs) => {
    for (const [name, value] of inputs) if (value !== null) draft.headers[name.toLowerCase()] = String(value);
    return [];
  });
}

/** All inputs, as query parameters. */
export const inQuery: Encoder = (draft, inputs) => {
  for (const [name, value] of inputs) {
    // Null is not sent (RFC 6570, 2.3).
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== null) addQuery(draft, `${encodeURIComponent(name)}=${encodeURIComponent(one)}`);
  }
  return [];
};

/** Adds to the query. */
export function addQuery(draft: RequestDraft, pair: string): void {
  draft.url += (draft.url.includes('?') ? '&' : '?') + pair;
}

/** The inputs of these names, as query parameters. */
export function inQueryOf(...names: string[]): Encoder {
  return some(names, inQuery);
}

/** All inputs, as a JSON body. */
export const inBody: Encoder = (draft, inputs) => {
  draft.headers['content-type'] = 'application/json';
  draft.body = JSON.stringify(Object.fromEntries(inputs));
  return [];
};

/** Limits an encoder to the inputs of these names. */
export function some(names: readonly string[], encode: Encoder): Encoder {
  return (draft, inputs) => {
    encode(
      draft,
      inputs.filter(([name]) => names.includes(name)),
    );
    return inputs.filter(([name]) => !names.includes(name));
  };
}

/** Builds the request of an operation. Throws for a number that would be rounded. */
export function buildRequest(
  { id, path, encoders }: Wire,
  connection: Connection,
  input: object | undefined,
  options?: CallOptions,
  address = (from: string) => from,
): RequestDraft {
  const draft: RequestDraft = { url: path, headers: {} };
  let inputs: Inputs = Object.entries<unknown>(Object(input)).filter(([name, value]) => {
    if (!isExact(value)) throw new RangeError(`${id}: ${value} as ${name} is no exact number`);
    return value !== undefined;
  });
  for (const encode of encoders) inputs = encode(draft, inputs, options, connection);
  draft.url = address(connection.baseUrl + draft.url);
  return draft;
}

/** Whether all numbers in it are exact in JSON: a number of 2^53 or more may have been rounded. */
export function isExact(data: unknown): boolean {
  return typeof data === 'number'
    ? Math.abs(data) < 2 ** 53
    : Object(data) !== data || Object.values(data as object).every(isExact);
}
