import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Operation, service } from '@petstore/types';
import { malformed } from './errors.ts';
import { noticesOf, type Route, routeOf } from './routes.ts';

/** What is known of a request. */
export interface Context {
  readonly requestId: string;
  readonly started: number;
  readonly method: string;
  /** The path and the query of the target; undefined if it is malformed. */
  readonly path: string;
  readonly query: string;
  readonly isWellFormed: boolean;
  /** Whether the path is below the base path of the service. */
  readonly isService: boolean;
  readonly route: Route | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly operation: Operation | undefined;
  /** The name of the API key, once it is checked. */
  keyName?: string;
  isCounted?: boolean;
}

const contexts = new WeakMap<object, Context>();

export function contextOf(response: ServerResponse): Context {
  const context = contexts.get(response);
  if (!context) throw new Error('The request did not pass the app.');
  return context;
}

const PLAIN = /^\/[!"$&-~]*$/;
const UNRESERVED = /[A-Za-z0-9._~-]/;

/** Begins a request: reads its target, and sets the headers that every response has. */
export function begin(request: IncomingMessage, response: ServerResponse): Context {
  const { method = 'GET', headers } = request;
  const { target, isWellFormed } = targetOf(request.url ?? '/');
  const at = target.indexOf('?');
  const [path, query] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
  const isService = path === service.basePath || path.startsWith(`${service.basePath}/`);
  const { route, params = {} } = (isService && isWellFormed && routeOf(path)) || {};
  const operation = route?.operations.get(method === 'HEAD' ? 'GET' : method);
  const given = headers['x-request-id'];
  const requestId = typeof given === 'string' && /^[\w.:+/=-]{1,128}$/.test(given) ? given : randomUUID();
  const started = performance.now();
  const context = { requestId, started, method, path, query, isWellFormed, isService, route, params, operation };
  contexts.set(response, context);
  response.setHeader('X-Request-Id', requestId);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  const notices = operation && noticesOf.get(operation);
  for (const name in notices) response.setHeader(name, notices[name] ?? '');
  return context;
}

/** The target without scheme and host, and with unreserved characters decoded (RFC 9110 4.2.3). */
function targetOf(url: string): { target: string; isWellFormed: boolean } {
  if (PLAIN.test(url) || url === '*') return { target: url, isWellFormed: true };
  const target = url.replace(/^https?:\/\/[^/?#]+(?=([/?#]?))/i, (_, next) => (next === '/' ? '' : '/'));
  const isWellFormed = /^\/[!"$-~]*$/.test(target) && !/%(?![\da-f]{2})/i.test(target);
  const decoded = target.replace(/%([\da-f]{2})/gi, (escaped, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(character) ? character : escaped;
  });
  return { target: decoded, isWellFormed };
}

/** Headers that must not repeat, because a proxy and this server could use different ones. */
const SINGLE = new Set(['host', 'authorization', 'content-type', 'content-length']);
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Throws for a message that HTTP does not allow (RFC 9112). */
export function checkMessage({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw malformed('This server speaks HTTP/1.1.');
  const { host, expect, 'transfer-encoding': coding } = headers;
  if (host ? !HOST.test(host) : httpVersion === '1.1' || host === '')
    throw malformed(host ? 'The Host header is not a host.' : 'The Host header is missing or empty.');
  let seen = '';
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length !== 4 && name.length < 12) continue;
    const lower = name.toLowerCase();
    if (!SINGLE.has(lower)) continue;
    if (seen.includes(`${lower},`)) throw malformed(`The ${name} header appears more than once.`);
    seen += `${lower},`;
  }
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked'))
    throw malformed('The only Transfer-Encoding possible is chunked, over HTTP/1.1.');
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    throw malformed(`The expectation '${expect}' is not supported.`, 417);
}
