import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Operation, operations, service } from '@petstore/types';
import { type HttpError, malformed } from './errors.ts';

/** A listener for `node:http`, which also fits into an Express app. */
export type App = (request: IncomingMessage, response: ServerResponse) => void;

/** A request and its response, with what is known of them. */
export type Exchange = ReturnType<typeof begin>;

/** The content of a request, as it was sent. A text that is no value of its type stays a text, which the validator rejects. */
export interface Input
  extends Record<'query' | 'path' | 'header', Readonly<Record<string, unknown>>> {
  /** The parsed body; undefined without a body. */
  readonly body?: unknown;
  /** The body with numbers instead of bigints, for validators. */
  readonly plainBody?: unknown;
  readonly idempotencyKey?: string | undefined;
}

/** Where a request goes. */
export type Target = ReturnType<typeof targetOf>;

const EXCHANGE = Symbol('exchange');
type Begun = ServerResponse & { [EXCHANGE]: Exchange };

/** Request identifiers are those of the process, counted: a UUID for each takes longer. */
const run = randomUUID().replaceAll('-', '').slice(0, 20);
let count = 0;
export const newRequestId = () => `${run}-${(++count).toString(36)}`;

/** Begins an exchange. */
export function begin(request: IncomingMessage, response: ServerResponse) {
  const { method = 'GET', url = '/', headers } = request;
  const given = headers['x-request-id'];
  const isValid = typeof given === 'string' && /^[\w.:+/=-]{1,128}$/.test(given);
  const target = knownTarget(url);
  const exchange = {
    request,
    response,
    method,
    requestId: isValid ? given : newRequestId(),
    started: performance.now(),
    target,
    operation: target.route?.operations.get(method === 'HEAD' ? 'GET' : method),
    /** The name of the API key, once the request is admitted. */
    caller: undefined as string | undefined,
    /** The content of the request, once it is read. */
    input: undefined as Input | undefined,
    /** What the log has to explain. */
    error: undefined as unknown,
  };
  (response as Begun)[EXCHANGE] = exchange;
  return exchange;
}

/** The exchange of a response, for middleware, which gets only those that have begun. */
export function exchangeOf(response: ServerResponse): Exchange {
  return (response as Begun)[EXCHANGE];
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

/** The paths of the spec. A fixed path comes before one with parameters. */
const routes = [...Map.groupBy(Object.values<Operation>(operations), ({ path }) => path)]
  .map(([path, all]) => ({
    segments: (service.basePath + path).split('/'),
    operations: new Map<string, Operation>(all.map((operation) => [operation.method, operation])),
    /** The value of `Allow`. */
    allow: [
      ...all.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
      'OPTIONS',
    ].join(', '),
  }))
  .sort((a, b) => a.segments.filter(isParameter).length - b.segments.filter(isParameter).length);

const ORIGIN = /^https?:\/\/[^/?#]+(?=(\/?))/i;

/** Reads the target of a request, which may have a scheme and a host (RFC 9112 3.2). Each escape is decoded once. */
function targetOf(url: string) {
  const own = url.startsWith('/') ? url : url.replace(ORIGIN, (_, slash) => (slash ? '' : '/'));
  const at = own.indexOf('?');
  const [path, query] = at < 0 ? [own, ''] : [own.slice(0, at), own.slice(at + 1)];
  const segments = path.split('/').map(decoded);
  const isWellFormed =
    /^\/[!"$-~]*$/.test(own) && !segments.includes(undefined) && decoded(query) !== undefined;
  const matches = (name: string, i: number) =>
    isParameter(name) ? segments[i] !== '' : name === segments[i];
  const candidates = isWellFormed ? routes : [];
  const route = candidates.find(
    (each) => each.segments.length === segments.length && each.segments.every(matches),
  );
  const params: Record<string, string | undefined> = {};
  for (const [i, name] of route?.segments.entries() ?? [])
    if (isParameter(name)) params[name.slice(1, -1)] = segments[i];
  return {
    path,
    query: query === '' ? [] : [...new URLSearchParams(`?${query}`)],
    isWellFormed,
    /** The path with nothing escaped that needs no escape. */
    url:
      isWellFormed && path.includes('%')
        ? segments.map((each = '') => encodeURIComponent(each)).join('/')
        : path,
    /** Whether the path is below the base path of the service. */
    isService: base.every((segment, i) => segment === segments[i]),
    route,
    /** The parameters in the path. */
    params,
  };
}

/** Undefined if the escapes are not those of UTF-8. */
function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Headers that must not repeat, because a proxy and this server could use different ones. Node keeps only one of them. */
const SINGLE = ['host', 'authorization', 'content-type'];
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/** The error of a message that HTTP does not allow (RFC 9112). */
export function faultOf({
  headers,
  rawHeaders,
  httpVersion,
}: IncomingMessage): HttpError | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return malformed('This server speaks HTTP/1.1.');
  const { host, expect, 'transfer-encoding': coding } = headers;
  if (host ? !HOST.test(host) : httpVersion === '1.1' || host === '')
    return malformed(
      host ? 'The Host header is not a host.' : 'The Host header is missing or empty.',
    );
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const bit = 1 << (SINGLE.indexOf(rawHeaders[i]?.toLowerCase() ?? '') + 1);
    if (bit > 1 && seen & bit)
      return malformed(`The ${rawHeaders[i]} header appears more than once.`);
    seen |= bit;
  }
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked'))
    return malformed('The only Transfer-Encoding possible is chunked, over HTTP/1.1.');
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    return malformed(`The expectation '${expect}' is not supported.`, 417);
  return undefined;
}
