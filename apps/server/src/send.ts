// Sends replies, and errors as the spec describes them.
import { type Operation, operations, service } from '@petstore/types';
import { asHttpError } from './errors.ts';
import type { Exchange, Head, Reply } from './exchange.ts';
import { checkBody, checkHeaders } from './validation.ts';

/** Responses that slow clients have not read yet may take this much memory. */
export const MAX_UNREAD = 2 ** 26;

const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends a reply. If responses are validated, it throws for one that the spec does not declare. */
export function send(exchange: Exchange, reply: Reply): void {
  const { operation, shared } = exchange;
  if (shared.validateResponses && operation) {
    checkHeaders(operation, headOf(exchange, reply));
    checkBody(operation, reply);
  }
  write(exchange, reply);
}

/** Sends anything thrown as an error of the spec. Its cause goes to the log only. */
export function sendError(exchange: Exchange, thrown: unknown): void {
  const { response } = exchange;
  if (response.headersSent) {
    exchange.error ??= thrown;
    response.destroy();
    return;
  }
  try {
    send(exchange, errorReply(exchange, thrown));
  } catch (error) {
    // The spec does not declare the error. The handler of this app cannot say more.
    write(exchange, errorReply(exchange, error));
  }
}

function errorReply(exchange: Exchange, thrown: unknown): Reply {
  const error = asHttpError(thrown);
  if (error.status >= 500) exchange.error = error.cause;
  return { status: error.status, headers: Object.entries(error.headers).flat(), body: error.json };
}

/** The head of a response, but for the length and the type of its body. 304 if the client has the body already. */
function headOf(exchange: Exchange, reply: Reply): Head {
  const { status, etag, link } = reply;
  const headers = ['X-Request-Id', exchange.requestId, ...constantHeaders(exchange.operation)];
  if (reply.headers) headers.push(...reply.headers);
  if (etag !== undefined) {
    headers.push('ETag', etag);
    if (isKnown(etag, exchange.request.headers['if-none-match'])) return { status: 304, headers };
  }
  if (link !== undefined) headers.push('Link', link);
  return { status, headers };
}

const all = Object.values<Operation>(operations);
const always = ['X-Content-Type-Options', 'nosniff'] as const;
const headersOf = new Map(all.map((operation) => [operation, [...always, ...notices(operation)]]));

/** The headers of every response, and of every response of an operation. Names and values in turn. */
export function constantHeaders(operation?: Operation): readonly string[] {
  return (operation && headersOf.get(operation)) ?? always;
}

/** What every response of a deprecated operation says. */
function notices({ deprecatedSince, sunset, successor }: Operation): string[] {
  const headers: string[] = [];
  // RFC 9745: seconds since 1970.
  if (deprecatedSince) headers.push('Deprecation', `@${Date.parse(deprecatedSince) / 1000}`);
  if (sunset) headers.push('Sunset', new Date(sunset).toUTCString());
  const instead = all.find(({ id }) => id === successor);
  if (instead)
    headers.push('Link', `<${service.basePath}${instead.path}>; rel="successor-version"`);
  return headers;
}

function write(exchange: Exchange, reply: Reply): void {
  const { response } = exchange;
  const { body } = reply;
  const { status, headers } = headOf(exchange, reply);
  if (body === undefined || status === 304) {
    response.writeHead(status, headers).end();
    return;
  }
  const length = Buffer.byteLength(body);
  headers.push('Content-Type', reply.type ?? JSON_TYPE, 'Content-Length', String(length));
  response.writeHead(status, headers);
  // Head and body become one write; ASCII is written faster as Latin-1.
  response.end(body, length === body.length ? 'latin1' : 'utf8');
  countUnread(exchange);
}

/** Whether a client has this version, by its `If-None-Match` (RFC 9110 13.1.2). */
function isKnown(etag: string, versions: string | undefined): boolean {
  if (versions === undefined) return false;
  return versions.split(',').some((version) => {
    const tag = version.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}

/** Counts what the client has not read yet, until it has. */
function countUnread({ response, shared }: Exchange): void {
  const waiting = response.writableLength;
  if (waiting === 0 || response.destroyed) return;
  shared.unread.use(waiting);
  response.once('close', () => shared.unread.release(waiting));
}
