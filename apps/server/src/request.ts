import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Operation, operations, service } from '@petstore/types';
import { malformed } from './errors.ts';

/** A listener for `node:http`, which also fits into an Express app. */
export type App = (request: IncomingMessage, response: ServerResponse) => void;

/** What is known of a request. */
export interface Context {
  readonly requestId: string;
  readonly started: number;
  readonly method: string;
  readonly target: Target;
  /** The name of the API key, once the request is admitted. */
  caller?: string;
  /** The request, once it is read. */
  call?: Call;
}

/** A request that was read, for its operation. */
export interface Call {
  readonly operation: Operation;
  readonly parameters: Parameters;
  /** The parsed body; undefined without a body. */
  readonly body?: unknown;
}

/** The values of the parameters by where they are. A text that is no value of its type stays a text, which the validator rejects. */
export interface Parameters {
  readonly query: Readonly<Record<string, unknown>>;
  readonly path: Readonly<Record<string, unknown>>;
  readonly header: Readonly<Record<string, unknown>>;
}

/** Where a request goes. */
export interface Target {
  readonly path: string;
  readonly query: string;
  readonly isWellFormed: boolean;
  /** Whether the path is below the base path of the service. */
  readonly isService: boolean;
  readonly route?: Route | undefined;
  /** The parameters in the path, still encoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly operation?: Operation | undefined;
}

/** A path of the spec. */
interface Route {
  readonly segments: readonly string[];
  readonly operations: ReadonlyMap<string, Operation>;
  /** The value of `Allow`. */
  readonly allow: string;
}

const contexts = new WeakMap<ServerResponse, Context>();

export function contextOf(response: ServerResponse): Context {
  const context = contexts.get(response);
  if (!context) throw new Error('The request did not pass the app.');
  return context;
}

/** Remembers the context of a response for Express. */
export function keepContext(response: ServerResponse, context: Context): void {
  contexts.set(response, context);
}

/** Request identifiers are those of the process, counted: a UUID for each takes longer. */
const run = randomUUID().replaceAll('-', '').slice(0, 20);
let count = 0;
export const newRequestId = () => `${run}-${(++count).toString(36)}`;

/** Begins a request. */
export function begin({ method = 'GET', url = '/', headers }: IncomingMessage): Context {
  const given = headers['x-request-id'];
  const isValid = typeof given === 'string' && /^[\w.:+/=-]{1,128}$/.test(given);
  const requestId = isValid ? given : newRequestId();
  return { requestId, started: performance.now(), method, target: knownTarget(method, url) };
}

/** The headers that every response to a request has. */
export function headersOf({ requestId, target: { operation } }: Context): Record<string, string> {
  return { 'X-Request-Id': requestId, ...constantHeaders(operation) };
}

/** The headers that every response of an operation has. */
export function constantHeaders(operation?: Operation): Record<string, string> {
  return { 'X-Content-Type-Options': 'nosniff', ...(operation && noticesOf.get(operation)) };
}

/** The targets of late, because requests repeat them. */
const MAX_TARGETS = 4000;
const targets = new Map<string, Target>();

function knownTarget(method: string, url: string): Target {
  const key = `${method} ${url}`;
  const known = targets.get(key);
  if (known) return known;
  if (targets.size >= MAX_TARGETS) targets.clear();
  const target = targetOf(method, url);
  // A long target would take much memory.
  if (url.length <= 256) targets.set(key, target);
  return target;
}

function targetOf(method: string, url: string): Target {
  const { target, isWellFormed } = normalized(url);
  const at = target.indexOf('?');
  const [path, query] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
  const isService = path === service.basePath || path.startsWith(`${service.basePath}/`);
  const { route, params = {} } = (isService && isWellFormed && routeOf(path)) || {};
  const operation = route?.operations.get(method === 'HEAD' ? 'GET' : method);
  return { path, query, isWellFormed, isService, route, params, operation };
}

const PLAIN = /^\/[!"$&-~]*$/;
const UNRESERVED = /[A-Za-z0-9._~-]/;

/** The target without scheme and host, and with unreserved characters decoded (RFC 9110 4.2.3). */
function normalized(url: string): { target: string; isWellFormed: boolean } {
  if (PLAIN.test(url) || url === '*') return { target: url, isWellFormed: true };
  const target = url.replace(/^https?:\/\/[^/?#]+(?=([/?#]?))/i, (_, next) => (next === '/' ? '' : '/'));
  const isWellFormed = /^\/[!"$-~]*$/.test(target) && !/%(?![\da-f]{2})/i.test(target);
  const decoded = target.replace(/%([\da-f]{2})/gi, (escaped, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(character) ? character : escaped;
  });
  return { target: decoded, isWellFormed };
}

const parametersIn = ({ segments }: Route) => segments.filter((segment) => segment.startsWith('{')).length;

/** A fixed path comes before one with parameters. */
const routes: readonly Route[] = [...Map.groupBy(Object.values<Operation>(operations), ({ path }) => path)]
  .map(([path, all]) => ({
    segments: (service.basePath + path).split('/'),
    operations: new Map(all.map((operation) => [operation.method, operation])),
    allow: [...all.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', '),
  }))
  .sort((a, b) => parametersIn(a) - parametersIn(b));

function routeOf(path: string): { route: Route; params: Readonly<Record<string, string>> } | undefined {
  const given = path.split('/');
  for (const route of routes) {
    if (route.segments.length !== given.length) continue;
    const params: Record<string, string> = {};
    const isMatch = route.segments.every((segment, i) => {
      const text = given[i] ?? '';
      if (!segment.startsWith('{')) return segment === text;
      params[segment.slice(1, -1)] = text;
      return text !== '';
    });
    if (isMatch) return { route, params };
  }
  return undefined;
}

/** Headers for every response of an operation that is deprecated. */
const noticesOf = new Map(Object.values<Operation>(operations).map((operation) => [operation, noticesFor(operation)]));

function noticesFor({ deprecatedSince, sunset, successor }: Operation): Record<string, string> {
  const instead = Object.values<Operation>(operations).find(({ id }) => id === successor);
  return {
    ...(deprecatedSince && { Deprecation: `@${Date.parse(deprecatedSince) / 1000}` }),
    ...(sunset && { Sunset: new Date(sunset).toUTCString() }),
    ...(instead && { Link: `<${service.basePath}${instead.path}>; rel="successor-version"` }),
  };
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
