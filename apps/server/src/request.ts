import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Operation, operations, service } from '@petstore/types';
import { malformed } from './errors.ts';

/** A listener for `node:http`, which also fits into an Express app. */
export type App = (request: IncomingMessage, response: ServerResponse) => void;

/** A request and its response, with what is known of them. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly requestId: string;
  readonly started: number;
  readonly target: Target;
  readonly operation: Operation | undefined;
  /** The name of the API key, once the request is admitted. */
  caller?: string;
  /** The content of the request, once it is read. */
  input?: Input;
  /** What the log has to explain. */
  error?: unknown;
}

/** The content of a request, as it was sent. A text that is no value of its type stays a text, which the validator rejects. */
export interface Input extends Record<'query' | 'path' | 'header', Readonly<Record<string, unknown>>> {
  /** The parsed body; undefined without a body. */
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
}

/** Where a request goes. */
export interface Target {
  readonly path: string;
  readonly query: string;
  /** The path with nothing escaped that needs no escape. */
  readonly url: string;
  readonly isWellFormed: boolean;
  /** Whether the path is below the base path of the service. */
  readonly isService: boolean;
  readonly route?: Route | undefined;
  /** The parameters in the path. */
  readonly params: Readonly<Record<string, string>>;
}

/** A path of the spec. */
interface Route {
  readonly segments: readonly string[];
  readonly operations: ReadonlyMap<string, Operation>;
  /** The value of `Allow`. */
  readonly allow: string;
}

const EXCHANGE = Symbol('exchange');
type Known = ServerResponse & { [EXCHANGE]?: Exchange };

/** Request identifiers are those of the process, counted: a UUID for each takes longer. */
const run = randomUUID().replaceAll('-', '').slice(0, 20);
let count = 0;
export const newRequestId = () => `${run}-${(++count).toString(36)}`;

/** Begins an exchange. */
export function begin(request: IncomingMessage, response: ServerResponse): Exchange {
  const { method = 'GET', url = '/', headers } = request;
  const given = headers['x-request-id'];
  const isValid = typeof given === 'string' && /^[\w.:+/=-]{1,128}$/.test(given);
  const target = knownTarget(url);
  const exchange: Exchange = {
    request,
    response,
    method,
    requestId: isValid ? given : newRequestId(),
    started: performance.now(),
    target,
    operation: target.route?.operations.get(method === 'HEAD' ? 'GET' : method),
  };
  (response as Known)[EXCHANGE] = exchange;
  return exchange;
}

/** The exchange of a response, for middleware. */
export function exchangeOf(response: ServerResponse): Exchange {
  const exchange = (response as Known)[EXCHANGE];
  if (!exchange) throw new Error('The request did not pass the app.');
  return exchange;
}

/** The headers that every response to a request has. */
export function headersOf({ requestId, operation }: Exchange): Record<string, string> {
  return { 'X-Request-Id': requestId, ...constantHeaders(operation) };
}

/** The headers that every response of an operation has. */
export function constantHeaders(operation?: Operation): Record<string, string> {
  return { 'X-Content-Type-Options': 'nosniff', ...(operation && notices.get(operation)) };
}

/** What the responses of a deprecated operation say. */
const notices = new Map(
  Object.values<Operation>(operations).map((operation, _, all) => {
    const { deprecatedSince, sunset, successor } = operation;
    const instead = all.find(({ id }) => id === successor);
    const headers = {
      ...(deprecatedSince && { Deprecation: `@${Date.parse(deprecatedSince) / 1000}` }),
      ...(sunset && { Sunset: new Date(sunset).toUTCString() }),
      ...(instead && { Link: `<${service.basePath}${instead.path}>; rel="successor-version"` }),
    };
    return [operation, headers];
  }),
);

/** The targets of late, because requests repeat them. */
const MAX_TARGETS = 4000;
const targets = new Map<string, Target>();

function knownTarget(url: string): Target {
  const known = targets.get(url);
  if (known) return known;
  if (targets.size >= MAX_TARGETS) targets.clear();
  const target = targetOf(url);
  // A long target would take much memory.
  if (url.length <= 256) targets.set(url, target);
  return target;
}

const isParameter = (segment: string) => segment.startsWith('{');
const base = service.basePath.split('/');

/** A fixed path comes before one with parameters. */
const routes: readonly Route[] = [...Map.groupBy(Object.values<Operation>(operations), ({ path }) => path)]
  .map(([path, all]) => ({
    segments: (service.basePath + path).split('/'),
    operations: new Map(all.map((operation) => [operation.method, operation])),
    allow: [...all.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', '),
  }))
  .sort((a, b) => a.segments.filter(isParameter).length - b.segments.filter(isParameter).length);

/** Reads the target of a request, which may have a scheme and a host (RFC 9112 3.2). Each escape is decoded once. */
function targetOf(url: string): Target {
  const [, origin, rest = '', query = ''] = /^(https?:\/\/[^/?#]+)?([^?]*)\??(.*)$/is.exec(url) ?? [];
  const path = origin && rest === '' ? '/' : rest;
  const segments = path.split('/').map(decoded);
  const isWellFormed = /^\/[!"$-~]*$/.test(path + query) && segments.every((segment) => segment !== undefined);
  const given = isWellFormed ? segments.map(String) : [];
  const match = routes.map((route) => ({ route, params: paramsOf(route, given) })).find(({ params }) => params);
  return {
    path,
    query,
    url: given.map(encodeURIComponent).join('/'),
    isWellFormed,
    isService: base.every((segment, i) => segment === segments[i]),
    route: match?.route,
    params: match?.params ?? {},
  };
}

/** Undefined if the route does not match. */
function paramsOf({ segments }: Route, given: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [i, name] of segments.entries()) {
    const text = given[i] ?? '';
    if (isParameter(name) && text !== '') params[name.slice(1, -1)] = text;
    else if (name !== text) return undefined;
  }
  return segments.length === given.length ? params : undefined;
}

/** Undefined if the escapes are not those of UTF-8. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Headers that must not repeat, because a proxy and this server could use different ones. */
const SINGLE = ['host', 'authorization', 'content-type', 'content-length'];
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Throws for a message that HTTP does not allow (RFC 9112). */
export function checkMessage({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw malformed('This server speaks HTTP/1.1.');
  const { host, expect, 'transfer-encoding': coding } = headers;
  if (host ? !HOST.test(host) : httpVersion === '1.1' || host === '')
    throw malformed(host ? 'The Host header is not a host.' : 'The Host header is missing or empty.');
  const seen: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    if (!SINGLE.includes(name)) continue;
    // Node keeps only one of them in `headers`.
    if (seen.includes(name)) throw malformed(`The ${name} header appears more than once.`);
    seen.push(name);
  }
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked'))
    throw malformed('The only Transfer-Encoding possible is chunked, over HTTP/1.1.');
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    throw malformed(`The expectation '${expect}' is not supported.`, 417);
}
