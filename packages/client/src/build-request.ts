import type { CallOptions, Connection, HttpResponse } from './connection.ts';
import type { OperationId } from './old.ts';

/** The wire format of an operation: its endpoint, and the functions that build its requests and parse its responses. */
export interface Wire<Id extends OperationId = OperationId> {
  readonly id: Id;
  readonly method: string;
  readonly path: string;
  /** The functions that write the inputs into the request, in this order. */
  readonly encoders: readonly Encoder[];
  /** Adds the credentials; undefined if the operation needs no credentials. */
  readonly authorize?: Authorize | undefined;
  /** The accepted media types; JSON by default. */
  readonly accept?: string;
  /** Matches the statuses of a success; 200 by default. */
  readonly ok?: RegExp;
  /** Parses a success; JSON by default. */
  readonly parse?: Parse;
  /** Whether to retry after an error; by default the rule for idempotent requests. */
  readonly mayRetry?: (error: Error) => boolean;
}

/** A request that is being built. */
export interface RequestDraft {
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** The inputs of a call that no encoder has written yet. */
export type Inputs = [name: string, value: unknown][];

/** Writes some inputs into the request, and returns the remaining inputs. A bundle contains only the encoders that its operations use. */
export type Encoder = (draft: RequestDraft, inputs: Inputs, options?: CallOptions, connection?: Connection) => Inputs;

/** Adds the credentials that an operation needs to its request. */
export type Authorize = (draft: RequestDraft, connection: Connection, id: string) => Promise<void>;

/** Parses a success into the data of a call. A bundle contains only the parsers that its operations use. */
export type Parse = (response: HttpResponse) => unknown;

/** Builds the request of an operation. Throws for a number of 2^53 or more in the inputs, because it may have been rounded. */
export function buildRequest(
  { id, path, encoders }: Wire,
  connection: Connection,
  input: object | undefined,
  options?: CallOptions,
  changeUrl = (built: string) => built,
): RequestDraft {
  const draft: RequestDraft = { url: path, headers: {} };
  let inputs: Inputs = Object.entries<unknown>(Object(input)).filter(([name, value]) => {
    if (!isExact(value)) throw new RangeError(`${id}: inexact number in ${name}`);
    return value !== undefined;
  });
  for (const encode of encoders) inputs = encode(draft, inputs, options, connection);
  draft.url = changeUrl(connection.baseUrl + draft.url);
  return draft;
}

/** Whether all numbers in the data are below 2^53. A larger number may have been rounded. */
export function isExact(data: unknown): boolean {
  return typeof data === 'number'
    ? Math.abs(data) < 2 ** 53
    : Object(data) !== data || Object.values(data as object).every(isExact);
}

/** Writes each input that has one of these names, and returns the other inputs. */
export function writeEach(
  names: readonly string[],
  write: (draft: RequestDraft, value: unknown, name: string) => void,
): Encoder {
  return (draft, inputs) => {
    for (const [name, value] of inputs) if (names.includes(name)) write(draft, value, name);
    return inputs.filter(([name]) => !names.includes(name));
  };
}

/** Writes as a segment each input that the path names. Throws if such an input is missing or cannot be a segment. */
export const inPath: Encoder = (draft, inputs) => {
  const remaining = inputs.filter(([name, value]) => {
    if (!draft.url.includes(`{${name}}`)) return true;
    fillPath(draft, name, encodeURIComponent(String(value)));
    return false;
  });
  const [, missing] = /\{([^}]+)}/.exec(draft.url) ?? [];
  if (missing) throw new TypeError(`'${inputs.find(([name]) => name === missing)?.[1]}' cannot be a ${missing}`);
  return remaining;
};

/** Replaces a parameter in the path by a segment, unless the segment would change the operation. */
export function fillPath(draft: RequestDraft, name: string, segment: string): void {
  // `.` and `..` lead to another path, and an empty segment leads to another operation.
  if (!/^\.{0,2}$/.test(segment)) draft.url = draft.url.replace(`{${name}}`, () => segment);
}

/** Adds an idempotency key, so the service executes the call once. All attempts of a call have the same idempotency key. */
export function withIdempotencyKey(header: string): Encoder {
  return (draft, inputs, options) => {
    const [, value] = Object.entries(options?.headers ?? {}).find(([name]) => name.toLowerCase() === header) ?? [];
    draft.headers[header] = options?.idempotencyKey ?? value ?? randomText();
    return inputs;
  };
}

/** A text that no other call has: 128 random bits. Browsers have `crypto.randomUUID` only on secure pages. */
export const randomText = () => crypto.getRandomValues(new Uint32Array(4)).join('-');

/** Writes the inputs with these names as headers. */
export function inHeaders(...names: string[]): Encoder {
  return writeEach(names, (draft, value, name) => {
    if (value !== null) draft.headers[name.toLowerCase()] = String(value);
  });
}

/** Writes all inputs as query parameters. */
export const inQuery: Encoder = (draft, inputs) => {
  let pairs = '';
  for (const [name, value] of inputs) {
    // RFC 6570, 2.3: null and undefined are left out.
    for (const item of ([] as unknown[]).concat(value) as string[])
      if (item != null) pairs += `&${encodeURIComponent(name)}=${encodeURIComponent(item)}`;
  }
  addQuery(draft, pairs);
  return [];
};

/** Writes the inputs with these names as query parameters. */
export function inQueryOf(...names: string[]): Encoder {
  return writeEach(names, (draft, value, name) => inQuery(draft, [[name, value]]));
}

/** Writes all inputs as the properties of a JSON body. */
export const inBody: Encoder = (draft, inputs) => {
  draft.headers['content-type'] = 'application/json';
  draft.body = JSON.stringify(Object.fromEntries(inputs));
  return [];
};

/** Adds encoded pairs, `&name=value` each, to the query. Pairs are added together, because each call reads the whole URL. */
export function addQuery(draft: RequestDraft, pairs: string): void {
  draft.url += /\?/.test(draft.url) ? pairs : pairs.replace(/&/, '?');
}
