import { exactJson, type OperationId } from '@petstore/types';
import type { CallOptions } from './options.ts';
import { mergedHeaders, type Settings } from './settings.ts';

/** How the requests of an operation are written, and its responses read. */
export interface Wire {
  readonly method: string;
  readonly path: string;
  /** The names of the inputs in the query, and of those in headers. */
  readonly query?: readonly string[];
  readonly headers?: readonly string[];
  /** Whether the other inputs are the properties of the body, or the input `body` is the whole. */
  readonly body?: 'properties' | 'whole';
  /** The header of the idempotency key. */
  readonly idempotencyKey?: string;
  /** The input that sets the size of a page, and the largest size. */
  readonly pagination?: { readonly limit: string; readonly maximum?: number };
  readonly deprecated?: { readonly sunset?: string; readonly successor?: string };
  /** The statuses of a success, if they are not just 200, and those of them that have no body. */
  readonly successes?: readonly number[];
  readonly empty?: readonly number[];
}

/** An operation of one client, or of one call that has options of its own. */
export interface Operation {
  readonly id: OperationId;
  readonly wire: Wire;
  readonly settings: Settings;
  /** The deprecated operations that this client has reported. */
  readonly reported: Set<OperationId>;
}

/** A request that lacks only the API key. */
export interface PreparedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Writes the request of a call. Throws for an input that cannot be sent. */
export function requestOf(
  operation: Operation,
  input: object,
  { idempotencyKey }: CallOptions,
): PreparedRequest {
  const { wire, settings } = operation;
  const { path, query, headers, properties } = sortedInputs(operation, input);
  const body = bodyOf(wire, properties);
  if (body !== null) headers['content-type'] = 'application/json';
  const defaults: Record<string, string> = { accept: 'application/json' };
  if (wire.idempotencyKey !== undefined) {
    defaults[wire.idempotencyKey] = randomKey();
    if (idempotencyKey !== undefined) headers[wire.idempotencyKey] = idempotencyKey;
  }
  const search = query.length === 0 ? '' : `?${query.join('&')}`;
  return {
    url: settings.baseUrl + path + search,
    headers: mergedHeaders(defaults, settings.headers, headers),
    body,
  };
}

interface SortedInputs {
  readonly path: string;
  /** Encoded, such as `status=sold`. */
  readonly query: readonly string[];
  readonly headers: Record<string, string>;
  /** The properties of the body. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/**
 * The inputs where the operation has them. An unknown one is where the service names it in its
 * error.
 */
function sortedInputs({ id, wire }: Operation, input: object): SortedInputs {
  let { path } = wire;
  const query: string[] = [];
  const headers: Record<string, string> = {};
  const properties: [name: string, value: unknown][] = [];
  for (const [name, value] of Object.entries(input) as [string, unknown][]) {
    if (value === undefined) continue;
    checkNumbers(`${id}: ${name}`, value);
    switch (placeOf(wire, name)) {
      case 'path':
        path = withSegment(path, id, name, value);
        break;
      case 'header':
        headers[name] = String(value);
        break;
      case 'query':
        query.push(...queryPairs(name, value));
        break;
      case 'body':
        properties.push([name, value]);
    }
  }
  checkSegments(path, id);
  return { path, query, headers, properties: Object.fromEntries(properties) };
}

function placeOf(wire: Wire, name: string): 'path' | 'header' | 'body' | 'query' {
  if (wire.path.includes(`{${name}}`)) return 'path';
  if (wire.headers?.includes(name)) return 'header';
  if (wire.query?.includes(name)) return 'query';
  if (wire.body === 'whole') return name === 'body' ? 'body' : 'query';
  return wire.body === 'properties' ? 'body' : 'query';
}

function bodyOf(wire: Wire, properties: Readonly<Record<string, unknown>>): string | null {
  if (wire.body === undefined) return null;
  const body = wire.body === 'whole' ? properties.body : properties;
  return body === undefined ? null : exactJson(body);
}

/** `.` and `..` would lead to another path, and an empty segment to another operation. */
const unsafeSegments = ['', '.', '..'];

function withSegment(path: string, id: string, name: string, value: unknown): string {
  const segment = encodeURIComponent(String(value));
  if (unsafeSegments.includes(segment))
    throw new TypeError(`${id}: '${segment}' cannot be a ${name}`);
  // A function, because `$` has a meaning in a replacement string.
  return path.replace(`{${name}}`, () => segment);
}

/** Throws if a parameter of the path was not given. */
function checkSegments(path: string, id: string): void {
  const [, missing] = /\{([^}]+)\}/.exec(path) ?? [];
  if (missing) throw new TypeError(`${id}: ${missing} is missing`);
}

/** `name=value`, once for each item of a list. */
function queryPairs(name: string, value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items
    .filter((item) => item !== undefined && item !== null)
    .map((item) => `${encodeURIComponent(name)}=${encodeURIComponent(String(item))}`);
}

/** Throws for a number that JSON cannot hold, or that may have been rounded before it got here. */
function checkNumbers(place: string, data: unknown): void {
  if (typeof data === 'number') {
    if (!Number.isFinite(data))
      throw new RangeError(`${place} is ${data}, which is no JSON number`);
    if (Math.abs(data) >= 2 ** 53)
      throw new RangeError(`${place} is ${data}, which may have been rounded: pass a bigint`);
  }
  if (typeof data !== 'object' || data === null) return;
  for (const [name, value] of Object.entries(data)) checkNumbers(`${place}.${name}`, value);
}

/** 128 random bits. Browsers have `crypto.randomUUID` on secure pages only. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
