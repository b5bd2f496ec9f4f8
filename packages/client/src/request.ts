import { exactJson, type OperationId } from '@petstore/types';
import { mergedHeaders, type Settings } from './settings.ts';

/** How the requests of an operation are written, and its responses read. */
export interface WireFormat {
  readonly method: string;
  readonly path: string;
  /** The names of the inputs in headers. */
  readonly headers?: readonly string[];
  /** Whether the other inputs are the properties of the body, or the input `body` is the whole. */
  readonly body?: 'properties' | 'whole';
  /** The names of the inputs in the query, if the others are properties of the body. */
  readonly query?: readonly string[];
  /** The header of the idempotency key, in lower case as all headers of a request are. */
  readonly idempotencyKey?: string;
  /** The input that sets the size of a page, and the largest size. */
  readonly pagination?: { readonly limit: string; readonly maximum?: number };
  readonly deprecated?: { readonly sunset?: string; readonly successor?: string };
  /** The statuses of a success, if they are not just 200, and those of them that have no body. */
  readonly successes?: readonly number[];
  readonly empty?: readonly number[];
}

/** An operation with the settings of its client, or of one call that has options of its own. */
export interface BoundOperation {
  readonly id: OperationId;
  readonly wire: WireFormat;
  readonly settings: Settings;
  /** The deprecated operations that this client has reported. */
  readonly reported: Set<OperationId>;
}

/** What a caller passes to an operation, by the names of its parameters and properties. */
export type Input = Readonly<Record<string, unknown>>;

/** A request that lacks only the API key. */
export interface PreparedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Writes the request of a call. Throws for an input that cannot be sent. */
export function preparedRequest(
  { id, wire, settings }: BoundOperation,
  input: Input,
  idempotencyKey: string | undefined,
): PreparedRequest {
  checkNumbers(id, input);
  const path = pathOf(id, wire, input);
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
 * The inputs where the operation has them. An unknown one is where the service names it in its
 * error.
 */
function inputsByPlace(wire: WireFormat, input: Input): InputsByPlace {
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

/** The path with its parameters. Throws for one that would lead to another path or operation. */
function pathOf(id: string, wire: WireFormat, input: Input): string {
  return wire.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const segment = encodeURIComponent(String(input[name] ?? ''));
    if (['', '.', '..'].includes(segment))
      throw new TypeError(`${id} needs ${name}, not '${segment}'`);
    return segment;
  });
}

/** Adds an input to the query, once for each item if it is a list. */
function addToQuery(query: URLSearchParams, name: string, value: unknown): void {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  for (const item of items) {
    if (item !== undefined && item !== null) query.append(name, String(item));
  }
}

/** Throws for a number that JSON cannot hold, or that may have been rounded before it got here. */
function checkNumbers(place: string, data: unknown): void {
  if (typeof data === 'number') {
    if (Math.abs(data) < 2 ** 53) return;
    const problem = Number.isFinite(data)
      ? 'may have been rounded: pass a bigint'
      : 'is no JSON number';
    throw new RangeError(`${place} is ${data}, which ${problem}`);
  }
  if (typeof data !== 'object' || data === null) return;
  for (const [name, value] of Object.entries(data)) checkNumbers(`${place}.${name}`, value);
}

/** 128 random bits. Browsers have `crypto.randomUUID` on secure pages only. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
