import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { exactJson, type Operation, parseExact } from '@petstore/types';
import { asHttpError, HttpError, unavailable } from './errors.ts';
import { type Collections, collections, type Handlers } from './handlers.ts';
import type { Health } from './health.ts';
import { InFlight, requestKeyOf } from './idempotency.ts';
import type { Log } from './log.ts';
import { type Call, type Context, constantHeaders, headersOf, type Parameters } from './request.ts';
import type { Page, RequestKey, Store, Stored } from './store/store.ts';
import { checkResponse } from './validators.ts';

/** A response, which may be sent to several requests with the same target. */
export interface Answer {
  readonly status: number;
  /** Names and values in turn, without the identifier of the request. */
  readonly headers: readonly string[];
  readonly etag?: string | undefined;
  readonly json?: string | undefined;
}

/** Calls the handler of a valid request. */
export type Dispatch = (call: Call, request: IncomingMessage, context: Context) => Promise<Answer>;

export type Next = (error?: unknown) => void;

/** What the fast path and the Express app share. */
export interface Service {
  /** Lets requests pass that are well-formed, with a valid key, within its rate. */
  admit(request: IncomingMessage, response: ServerResponse, context: Context, next: Next): void;
  readonly dispatch: Dispatch;
  send(answer: Answer, request: IncomingMessage, response: ServerResponse, context: Context): void;
  fail(error: unknown, response: ServerResponse, context: Context): void;
  /** Changes with every write; NaN if only the database knows. */
  version(): number;
  readonly bodyLimit: number;
  readonly health: Health | null;
}

/** Responses that slow clients have not read yet may take this much memory. */
const MAX_UNREAD = 2 ** 26;
let unread = 0;

type AnyHandler = (input: Record<string, unknown>, store: Collections) => unknown;

export function dispatcher(store: Store, handlers: Partial<Handlers>, validateResponses: boolean): Dispatch {
  const inFlight = new InFlight();
  const unbound = collectionsOf(store);
  return async (call, request, context) => {
    const { operation, parameters } = call;
    // Before the page is made. A write is small, and would be done already.
    if (operation.method === 'GET' && unread > MAX_UNREAD)
      throw unavailable('Too many responses are waiting. Retry later.');
    const handler = handlers[operation.id as keyof Handlers] as AnyHandler | undefined;
    if (!handler)
      throw new HttpError('internal_error', `This server does not implement ${operation.id}.`, { status: 501 });
    const input = inputOf(call);
    const key = requestKeyOf(operation, request.headers, context.caller ?? '', input);
    const end = key && inFlight.begin(key);
    try {
      const result = await handler(input, key ? collectionsOf(store, key) : unbound);
      const json = jsonOf(result);
      const status = json === undefined ? 204 : (operation.success ?? Number(operation.successes[0]));
      if (validateResponses) checkResponse(operation, status, json === undefined ? undefined : parseExact(json));
      const headers = constantHeaders(operation);
      if (isStored(result) && 'isReplayed' in result && result.isReplayed) headers['Idempotency-Replayed'] = 'true';
      const next = nextLink(operation, parameters, result);
      if (next) headers.Link = [headers.Link ?? [], next].flat().join(', ');
      const etag = operation.method === 'GET' && json ? `"${hash('sha1', json, 'base64url')}"` : undefined;
      if (etag) headers.ETag = etag;
      return { status, headers: Object.entries(headers).flat(), etag, json };
    } finally {
      end?.();
    }
  };
}

export function collectionsOf(store: Store, key?: RequestKey): Collections {
  const entries = Object.entries(collections).map(([name, { name: stored }]) => [name, store.collection(stored, key)]);
  return Object.fromEntries(entries);
}

function inputOf({ operation: { body: declared }, parameters, body }: Call): Record<string, unknown> {
  const own = declared?.whole ? { body } : (body as object | undefined);
  return { ...parameters.header, ...parameters.query, ...parameters.path, ...own };
}

function isStored(result: unknown): result is Stored | Page {
  return typeof result === 'object' && result !== null && 'json' in result && typeof result.json === 'string';
}

function jsonOf(result: unknown): string | undefined {
  if (result === undefined) return undefined;
  return isStored(result) ? result.json : exactJson(result);
}

/** The link to the next page, relative to the request, so that it also works behind a proxy that adds a path. */
function nextLink({ pagination }: Operation, { query }: Parameters, result: unknown): string | undefined {
  if (!pagination || !isStored(result) || !('next' in result)) return undefined;
  const values = { ...query, [pagination.cursor]: result.next };
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`),
  );
  return `<?${pairs.join('&')}>; rel="next"`;
}

/** Sends an answer, or 304 if the client already has it. */
export function send(answer: Answer, request: IncomingMessage, response: ServerResponse, context: Context): void {
  const { status, headers, etag, json } = answer;
  const head = ['X-Request-Id', context.requestId, ...headers];
  const known = etag && request.headers['if-none-match'];
  if (known?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))))
    return void response.writeHead(304, head).end();
  if (json === undefined) return void response.writeHead(status, head).end();
  sendJson(response, status, head, json);
  const waiting = response.writableLength;
  if (waiting === 0) return;
  unread += waiting;
  response.once('close', () => {
    unread -= waiting;
  });
}

/** Sends anything thrown as an error of the spec. Its cause goes to the log only. */
export function sendError(error: unknown, response: ServerResponse, context: Context, log: Log): void {
  const httpError = asHttpError(error);
  if (httpError.status >= 500 && httpError !== error) log.error(error, context.requestId);
  if (response.headersSent) return void response.destroy();
  const { status, headers, json } = httpError;
  sendJson(response, status, Object.entries({ ...headersOf(context), ...headers }).flat(), json);
}

function sendJson(response: ServerResponse, status: number, head: string[], json: string): void {
  const length = Buffer.byteLength(json);
  head.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(length));
  response.writeHead(status, head);
  // Head and body become one write; ASCII is written faster as Latin-1.
  response.end(json, length === json.length ? 'latin1' : 'utf8');
}
