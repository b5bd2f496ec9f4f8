import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { exactJson, type Operation, parseExact } from '@petstore/types';
import { type Collections, collections } from './collections.ts';
import type { Context } from './context.ts';
import { asHttpError, HttpError, unavailable } from './errors.ts';
import type { Handlers } from './handlers.ts';
import { InFlight, requestKeyOf } from './idempotency.ts';
import type { Log } from './log.ts';
import type { Parameters } from './parameters.ts';
import type { Page, RequestKey, Store, Stored } from './store/store.ts';
import { checkResponse } from './validators.ts';

/** A valid request. */
export interface Call {
  readonly operation: Operation;
  readonly parameters: Parameters;
  readonly body: unknown;
}

export type Dispatch = (
  call: Call,
  request: IncomingMessage,
  response: ServerResponse,
  context: Context,
) => Promise<void>;

type AnyHandler = (input: Record<string, unknown>, store: Collections) => unknown;

/** Responses that slow clients have not read yet may take this much memory. */
const MAX_UNREAD = 2 ** 26;
let unread = 0;

/** Creates the function that calls the handler of a valid request, and sends what it returns. */
export function dispatcher(store: Store, handlers: Partial<Handlers>, validateResponses: boolean): Dispatch {
  const inFlight = new InFlight();
  const unbound = collectionsOf(store);
  return async (call, request, response, context) => {
    const { operation, parameters } = call;
    const handler = handlers[operation.id as keyof Handlers] as AnyHandler | undefined;
    if (!handler) {
      const message = `This server does not implement ${operation.id}.`;
      throw new HttpError('internal_error', message, { status: 501 });
    }
    const input = inputOf(call);
    const key = requestKeyOf(operation, request.headers, context.keyName ?? '', input);
    const end = key && inFlight.begin(key);
    try {
      const result = await handler(input, key ? collectionsOf(store, key) : unbound);
      const status = operation.success ?? Number(operation.successes[0]);
      const json = jsonOf(result);
      if (validateResponses) checkResponse(operation, status, json === undefined ? undefined : parseExact(json));
      if (isStored(result) && 'isReplayed' in result && result.isReplayed)
        response.setHeader('Idempotency-Replayed', 'true');
      const next = nextLink(operation, parameters, result);
      if (next) response.appendHeader('Link', next);
      if (operation.method === 'GET' && json !== undefined && isCurrent(request, response, json)) return;
      send(response, json === undefined ? 204 : status, json);
    } finally {
      end?.();
    }
  };
}

function collectionsOf(store: Store, key?: RequestKey): Collections {
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

/** Sets the version of a response. Returns true if it answered that the client already has it. */
function isCurrent(request: IncomingMessage, response: ServerResponse, json: string): boolean {
  const tag = `"${hash('sha1', json, 'base64url')}"`;
  response.setHeader('ETag', tag);
  const known = request.headers['if-none-match'];
  if (known === undefined) return false;
  if (!known.split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, '')))) return false;
  response.writeHead(304).end();
  return true;
}

/** Sends a response with this JSON, or without a body. */
export function send(response: ServerResponse, status: number, json?: string): void {
  if (json === undefined) return void response.writeHead(status).end();
  const length = Buffer.byteLength(json);
  if (unread > 0 && unread + length > MAX_UNREAD) throw unavailable('Too many responses are waiting. Retry later.');
  unread += length;
  response.once('close', () => {
    unread -= length;
  });
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': length });
  response.end(json);
}

/** Sends anything thrown as an error of the spec. Its cause goes to the log only. */
export function sendError(error: unknown, response: ServerResponse, context: Context, log: Log): void {
  const httpError = asHttpError(error);
  if (httpError.status >= 500 && httpError !== error) log.error(error, context.requestId);
  if (response.headersSent) return void response.destroy();
  for (const name in httpError.headers) response.setHeader(name, httpError.headers[name] ?? '');
  // A small error is always sent, so that nobody waits for it.
  response.writeHead(httpError.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(httpError.json),
  });
  response.end(httpError.json);
}
