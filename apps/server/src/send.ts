// Makes replies of what handlers returned, and sends replies, and errors as the spec describes them.
import { hash } from 'node:crypto';
import { exactJson, type Operation, operations, parseExact, service } from '@petstore/types';
import { asHttpError } from './errors.ts';
import type { Exchange, Head, Reply } from './exchange.ts';
import { showBody } from './explainer.ts';
import { toJsonNumbers } from './json-schema.ts';
import { type Replay, StoredDocument, StoredPage } from './store/store.ts';
import type { Target } from './target.ts';
import { checkBody, checkHeaders } from './validation.ts';

/** Responses that slow clients have not read yet may take this much memory. */
export const MAX_UNREAD = 2 ** 26;

const JSON_TYPE = 'application/json; charset=utf-8';

/** Longer bodies are not remembered, which bounds the memory of all targets. */
export const MAX_REMEMBERED_BODY = 2 ** 13;

/** The reply with the result of a handler. */
export function replyOf(operation: Operation, target: Target, result: unknown): Reply {
  if (result === undefined) return { status: declaredStatus(operation, false) };
  const status = declaredStatus(operation, true);
  const isText = result instanceof StoredDocument || result instanceof StoredPage;
  const body = isText ? result.json : exactJson(result);
  // A response to another method is not the current version of what the target names.
  const etag = operation.method === 'GET' ? etagOf(target, body) : undefined;
  const link = result instanceof StoredPage ? nextPage(operation, target, result) : undefined;
  return { status, etag, link, body };
}

/** The reply to the repetition of a request. */
export function replayOf({ responses }: Operation, { status, document }: Replay): Reply {
  const body = responses[status]?.schema ? document.json : undefined;
  return { status, headers: ['Idempotency-Replayed', 'true'], body };
}

/** The status of the success with a body, or of the one without; undefined if the spec declares none. */
export function successStatus(operation: Operation, hasBody: boolean): number | undefined {
  const { successes, responses } = operation;
  const status = successes.find((each) => Boolean(responses[each]?.schema) === hasBody);
  return status === undefined ? undefined : Number(status);
}

function declaredStatus(operation: Operation, hasBody: boolean): number {
  const status = successStatus(operation, hasBody);
  if (status !== undefined) return status;
  const returned = hasBody ? 'a result' : 'nothing';
  const missing = hasBody ? 'with' : 'without';
  throw new Error(
    `${operation.id} returned ${returned}; the spec declares no success ${missing} a body.`,
  );
}

/** The version of a body. If it is the body of the last request for this target, the version is known. */
function etagOf(target: Target, body: string): string {
  // To compare a body takes a tenth of the time that to hash it takes.
  if (target.version?.body === body) return target.version.etag;
  // 128 bits are enough.
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
  if (body.length <= MAX_REMEMBERED_BODY) target.version = { body, etag };
  return etag;
}

/** The link to the next page. It is relative to the request, so it also works behind a proxy that adds a path. */
function nextPage(operation: Operation, target: Target, page: StoredPage): string | undefined {
  const { pagination } = operation;
  if (!pagination || page.next === undefined) return undefined;
  const query = new URLSearchParams(target.query.map(([name, value]) => [name, value]));
  query.set(pagination.cursor, String(page.next));
  return `<?${query}>; rel="next"`;
}

/** Sends a reply. If responses are validated, it throws for one that the spec does not declare. */
export function send(exchange: Exchange, reply: Reply): void {
  const { operation, shared } = exchange;
  if (shared.validateResponses && operation) compareWithSpec(exchange, operation, reply);
  write(exchange, reply);
}

function compareWithSpec(exchange: Exchange, operation: Operation, reply: Reply): void {
  checkHeaders(operation, headOf(exchange, reply));
  const body = reply.body === undefined ? undefined : toJsonNumbers(parseExact(reply.body));
  checkBody(operation, reply.status, body);
  if (exchange.shown && body !== undefined) showBody(exchange.shown, reply.status, body);
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
