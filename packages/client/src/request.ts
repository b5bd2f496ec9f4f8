import { exactJson, type OperationId } from '@petstore/types';
import { mergedHeaders, type Settings } from './settings.ts';

/** How the requests of an operation are written, and its responses read. */
export interface WireFormat {
  readonly method: string;
  readonly path: string;
  /** The names of the inputs in headers. */
  readonly headers?: readonly string[];
  /** `properties`: the other inputs are properties of the body. `whole`: one input is the body. */
  readonly body?: 'properties' | 'whole';
  /** The names of the inputs in the query, if the other inputs are properties of the body. */
  readonly query?: readonly string[];
  /** The header of the idempotency key, in lower case as all headers of a request are. */
  readonly idempotencyKey?: string;
  /** The input that sets the size of a page, and the largest size. */
  readonly pagination?: { readonly limit: string; readonly maximum?: number };
  readonly deprecated?: { readonly sunset?: string; readonly successor?: string };
  /** The success statuses. Default: only 200. */
  readonly successes?: readonly number[];
  /** The success statuses whose responses have no body. */
  readonly empty?: readonly number[];
}

/** An operation with the settings of a client, or of a call that has options of its own. */
export interface BoundOperation {
  readonly id: OperationId;
  readonly wire: WireFormat;
  readonly settings: Settings;
  /** The deprecated operations that this client has reported. */
  readonly reported: Set<OperationId>;
}

/** The input of any operation: values by the names of parameters and properties. */
export type InputValues = Readonly<Record<string, unknown>>;

/** A request without its API key, which each attempt adds. */
export interface PreparedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Writes the request of a call. Throws for an input that cannot be sent. */
export function preparedRequest(
  { id, wire, settings }: BoundOperation,
  input: InputValues,
  idempotencyKey: string | undefined,
): PreparedRequest {
  checkNumbers(id, input);
  const path = filledPath(id, wire, input);
  const { query, headers, properties } = inputsByPlace(wire, input);
  const body = bodyOf(wire, properties);
  if (body !== null) headers['content-type'] = 'application/json';
  if (wire.idempotencyKey !== undefined) {
    const given = idempotencyKey ?? settings.headers[wire.idempotencyKey];
    headers[wire.idempotencyKey] = given ?? randomKey();
  }
  const search = query.size === 0 ? '' : `?${query}`;
  return {
    url: settings.baseUrl + path + search,
    headers: { accept: 'application/json', ...settings.headers, ...mergedHeaders(headers) },
    body,
  };
}

interface InputsByPlace {
  readonly query: URLSearchParams;
  readonly headers: Record<string, string>;
  /** The properties of the body. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/**
 * The inputs by their place in the request. An input that the operation does not know is sent, too:
 * the service rejects it, and names it.
 */
function inputsByPlace(wire: WireFormat, input: InputValues): InputsByPlace {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  // Without a prototype, so that `__proto__` is a property like any other.
  const properties: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || wire.path.includes(`{${name}}`)) continue;
    if (wire.headers?.includes(name)) headers[name] = String(value);
    else if (isInBody(wire, name)) properties[name] = value;
    else addToQuery(query, name, value);
  }
  return { query, headers, properties };
}

function isInBody({ body, query }: WireFormat, name: string): boolean {
  if (body === 'whole') return name === 'body';
  return body === 'properties' && !query?.includes(name);
}

function bodyOf(wire: WireFormat, properties: Readonly<Record<string, unknown>>): string | null {
  if (wire.body === undefined) return null;
  const body = wire.body === 'whole' ? properties.body : properties;
  return body === undefined ? null : exactJson(body);
}

/** The path with its parameters. Throws for a parameter that would lead to another path. */
function filledPath(id: string, wire: WireFormat, input: InputValues): string {
  return wire.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const segment = encodeURIComponent(String(input[name] ?? ''));
    if (['', '.', '..'].includes(segment))
      throw new TypeError(`${id} needs ${name}, not '${segment}'`);
    return segment;
  });
}

/** Adds an input to the query. A list is added once for each of its items. */
function addToQuery(query: URLSearchParams, name: string, value: unknown): void {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  for (const item of items) {
    if (item !== undefined && item !== null) query.append(name, String(item));
  }
}

/** Throws for a number that JSON cannot hold, or that JavaScript may have rounded before the call. */
function checkNumbers(place: string, data: unknown): void {
  if (typeof data === 'number') {
    if (Math.abs(data) < 2 ** 53) return;
    const problem = Number.isFinite(data)
      ? 'may have been rounded: pass a bigint'
      : 'is not a JSON number';
    throw new RangeError(`${place} is ${data}, which ${problem}`);
  }
  if (typeof data !== 'object' || data === null) return;
  for (const [name, value] of Object.entries(data)) checkNumbers(`${place}.${name}`, value);
}

/** 128 random bits. Browsers have `crypto.randomUUID` on secure pages only. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
