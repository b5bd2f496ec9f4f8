// Sends replies, and errors as the spec describes them.
import { type Operation, parseExact } from '@petstore/types';
import { constantHeaders } from './constant-headers.ts';
import { checkHeaders } from './declared-headers.ts';
import { asHttpError } from './errors.ts';
import type { Exchange, Reply } from './exchange.ts';
import { toJsonNumbers } from './json-numbers.ts';
import { checkResponse } from './validation.ts';

/** Responses that slow clients have not read yet may take this much memory. */
export const MAX_UNREAD = 2 ** 26;

const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends a reply. If responses are validated, it throws for one that the spec does not declare. */
export function send(exchange: Exchange, reply: Reply): void {
  const { operation, shared } = exchange;
  if (shared.validateResponses && operation) sendValidated(exchange, operation, reply);
  else write(exchange, reply);
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

/** Lets the hook of the validator's middleware see replies, which it does where `response.json` is called. */
export function sendsByJson(exchange: Exchange): void {
  const { response } = exchange;
  // The text is sent as it is, because a number of 64 bits would be rounded.
  response.json = () => {
    if (exchange.reply) write(exchange, exchange.reply);
    return response;
  };
}

function sendValidated(exchange: Exchange, operation: Operation, reply: Reply): void {
  const { status, head } = messageOf(exchange, reply);
  checkHeaders(operation, status, head);
  const body = reply.body === undefined ? undefined : parseExact(reply.body);
  checkResponse(operation, reply.status, body);
  if (body === undefined) {
    write(exchange, reply);
    return;
  }
  exchange.reply = reply;
  exchange.response.status(reply.status).json(toJsonNumbers(body));
}

function errorReply(exchange: Exchange, thrown: unknown): Reply {
  const error = asHttpError(thrown);
  if (error.status >= 500) exchange.error = error.cause;
  const headers = [...constantHeaders(exchange.operation), ...Object.entries(error.headers).flat()];
  return { status: error.status, headers, body: error.json };
}

/** What is known of a response before it is written. */
interface Message {
  readonly status: number;
  /** Names and values in turn. */
  readonly head: string[];
  readonly body: string | undefined;
}

function messageOf({ request, requestId }: Exchange, reply: Reply): Message {
  const { status, etag, body, bodyHeaders } = reply;
  const head = ['X-Request-Id', requestId, ...reply.headers];
  if (etag !== undefined) {
    head.push('ETag', etag);
    if (isKnown(etag, request.headers['if-none-match']))
      return { status: 304, head, body: undefined };
  }
  if (bodyHeaders) head.push(...bodyHeaders);
  return { status, head, body };
}

function write(exchange: Exchange, reply: Reply): void {
  const { response } = exchange;
  const { status, head, body } = messageOf(exchange, reply);
  if (body === undefined) {
    response.writeHead(status, head).end();
    return;
  }
  const length = Buffer.byteLength(body);
  head.push('Content-Type', reply.type ?? JSON_TYPE, 'Content-Length', String(length));
  response.writeHead(status, head);
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
