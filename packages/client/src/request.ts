import { exactJson, type OperationId } from '@petstore/types';
import { type CallOptions, mergedHeaders, type Settings } from './options.ts';

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
  /** The input that takes the cursor of a page, and the property of an element that is its cursor. */
  readonly pagination?: { readonly cursor: string; readonly key: string };
  readonly deprecated?: { readonly sunset?: string; readonly successor?: string };
  /** The statuses of a success, if they are not just 200, and those of them that have no body. */
  readonly successes?: readonly number[];
  readonly empty?: readonly number[];
}

/** An operation of one client. */
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

/** Writes the inputs where the operation has them. Unknown ones go where the service names them in its error. */
export function requestOf(
  { id, wire, settings }: Operation,
  input: object,
  options: CallOptions,
): PreparedRequest {
  const { idempotencyKey } = wire;
  const own: Record<string, string | undefined> = {};
  const properties: [name: string, value: unknown][] = [];
  let [url, separator] = [wire.path, '?'];
  for (const [name, value] of Object.entries<unknown>(input as Record<string, unknown>)) {
    if (value === undefined) continue;
    if (!isExact(value))
      throw new RangeError(`${id}: a number in ${name} may be rounded; pass a bigint`);
    if (wire.path.includes(`{${name}}`))
      url = url.replace(`{${name}}`, () => segment(id, name, value));
    else if (wire.headers?.includes(name)) own[name] = String(value);
    else if (isInBody(wire, name)) properties.push([name, value]);
    else
      for (const item of [value].flat()) {
        if (item === undefined || item === null) continue;
        url += `${separator}${encodeURIComponent(name)}=${encodeURIComponent(String(item))}`;
        separator = '&';
      }
  }
  const [, missing] = /\{([^}]+)\}/.exec(url) ?? [];
  if (missing) throw new TypeError(`${id}: ${missing} is missing`);
  const inputs = Object.fromEntries(properties);
  const body = wire.body === 'whole' ? inputs.body : wire.body && inputs;
  if (body !== undefined) own['content-type'] = 'application/json';
  if (idempotencyKey) own[idempotencyKey] = options.idempotencyKey;
  const defaults = idempotencyKey ? { [idempotencyKey]: randomText() } : {};
  return {
    url: settings.baseUrl + url,
    headers: {
      accept: 'application/json',
      ...mergedHeaders(defaults, settings.headers, options.headers, own),
    },
    body: body === undefined ? null : exactJson(body),
  };
}

const isInBody = ({ body, query }: Wire, name: string) =>
  body === 'whole' ? name === 'body' : body !== undefined && !query?.includes(name);

/** A value as a segment of a path. `.` and `..` would lead to another path, and an empty segment to another operation. */
function segment(id: string, name: string, value: unknown): string {
  const text = encodeURIComponent(String(value));
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${id}: '${text}' cannot be a ${name}`);
  return text;
}

/** Whether all numbers in the data are below 2^53. A larger one may have been rounded before it got here. */
function isExact(data: unknown): boolean {
  if (typeof data === 'number') return Math.abs(data) < 2 ** 53;
  return typeof data !== 'object' || data === null || Object.values(data).every(isExact);
}

/** A text that no other call has: 128 random bits. Browsers have `crypto.randomUUID` on secure pages only. */
const randomText = () => crypto.getRandomValues(new Uint32Array(4)).join('-');
