import { hash } from 'node:crypto';
import { exactJson, type Operation, parseExact } from '@petstore/types';
import { asHttpError, HttpError, unavailable } from './errors.ts';
import { type Collections, collections, type Handlers } from './handlers.ts';
import { constantHeaders, type Exchange, type Input, type Target } from './request.ts';
import { type KeyedRequest, type Store, StoredDocument, StoredPage } from './store/store.ts';
import { checkResponse } from './validators.ts';

/** A response, which may be sent to several requests with the same target. */
export interface Answer {
  readonly status: number;
  /** Names and values in turn, without the identifier of the request. */
  readonly headers: readonly string[];
  readonly etag?: string | undefined;
  readonly body?: string | undefined;
  /** The media type of the body. Default: JSON. */
  readonly type?: string;
}

export type Serve = (exchange: Exchange) => void | Promise<void>;

/** What the fast path and the Express app share. */
export interface Service {
  /** Lets requests pass that have a valid key, within its rate. */
  admit(exchange: Exchange): Promise<void> | undefined;
  /** Calls the handler of a valid request. */
  dispatch(exchange: Exchange, operation: Operation, input: Input): Promise<Answer>;
  readonly bodyLimit: number;
}

type AnyHandler = (input: Record<string, unknown>, store: Collections) => unknown;

/** Responses that slow clients have not read yet may take this much memory. */
const MAX_UNREAD = 2 ** 26;
let unread = 0;

/** Calls handlers over a store, once it is open. */
export function dispatcher(
  store: Store | Promise<Store>,
  handlers: Partial<Handlers>,
  validateResponses: boolean,
): Pick<Service, 'dispatch'> {
  let opened: Store | undefined;
  (async () => (opened = await store))().catch(() => {});
  /** The idempotency keys of the requests that are running. */
  const running = new Set<string>();
  return {
    async dispatch({ caller = '', target }, operation, input) {
      // Before the page is made. A write is small, and would be done already.
      if (operation.method === 'GET' && unread > MAX_UNREAD)
        throw unavailable('Too many responses are waiting. Retry later.');
      const handler = handlers[operation.id as keyof Handlers] as AnyHandler | undefined;
      if (!handler)
        throw new HttpError('internal_error', `${operation.id} is not implemented.`, {
          status: 501,
        });
      const { query, path, header, body, idempotencyKey: key } = input;
      const values = {
        ...header,
        ...query,
        ...path,
        ...(operation.body?.whole ? { body } : Object(body)),
      };
      const ready = opened;
      if (!ready) throw unavailable('The store is still being opened. Retry later.');
      const respond = async (requestKey?: KeyedRequest) =>
        answerOf(
          target,
          operation,
          await handler(values, collectionsOf(ready, requestKey)),
          validateResponses,
        );
      if (key === undefined) return respond();
      const id = `${caller} ${key}`;
      if (running.has(id)) {
        const message = 'A request with this Idempotency-Key is still running. Retry later.';
        throw new HttpError('request_in_flight', message, { headers: { 'Retry-After': '1' } });
      }
      running.add(id);
      try {
        const request = `${operation.method} ${operation.path} ${exactJson(sorted(values))}`;
        const fingerprint = hash('sha256', request, 'base64url');
        return await respond({ caller, key, fingerprint, status: statusOf(operation) });
      } finally {
        running.delete(id);
      }
    },
  };
}

/** Sends an answer, or 304 if the client already has it. */
export function send(
  { request, response, requestId }: Exchange,
  { status, headers, etag, body, type }: Answer,
): void {
  const head = ['X-Request-Id', requestId, ...headers];
  const known = etag && request.headers['if-none-match'];
  if (known?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))))
    return void response.writeHead(304, head).end();
  if (body === undefined) return void response.writeHead(status, head).end();
  const length = Buffer.byteLength(body);
  head.push(
    'Content-Type',
    type ?? 'application/json; charset=utf-8',
    'Content-Length',
    String(length),
  );
  response.writeHead(status, head);
  // Head and body become one write; ASCII is written faster as Latin-1.
  response.end(body, length === body.length ? 'latin1' : 'utf8');
  const waiting = response.writableLength;
  if (waiting === 0 || response.destroyed) return;
  unread += waiting;
  response.once('close', () => {
    unread -= waiting;
  });
}

/** Sends anything thrown as an error of the spec. Its cause goes to the log only. */
export function fail(exchange: Exchange, thrown: unknown): void {
  const { response, operation } = exchange;
  const error = asHttpError(thrown);
  const { status, headers, json: body } = error;
  if (status >= 500) exchange.error = error.cause;
  if (response.headersSent) return void response.destroy();
  send(exchange, {
    status,
    headers: Object.entries({ ...constantHeaders(operation), ...headers }).flat(),
    body,
  });
}

function collectionsOf(store: Store, key?: KeyedRequest): Collections {
  const entries = Object.entries(collections).map(([name, { name: stored }]) => [
    name,
    store.collection(stored, key),
  ]);
  return Object.fromEntries(entries);
}

/** The value with its members in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]));
}

function answerOf(
  target: Target,
  operation: Operation,
  result: unknown,
  validate: boolean,
): Answer {
  const isStored = result instanceof StoredDocument || result instanceof StoredPage;
  const stored = isStored ? result : undefined;
  const body = stored?.json ?? (result === undefined ? undefined : exactJson(result));
  const status = body === undefined ? 204 : statusOf(operation);
  if (validate) checkResponse(operation, status, body === undefined ? undefined : parseExact(body));
  const headers = constantHeaders(operation);
  if (result instanceof StoredDocument && result.isReplayed)
    headers['Idempotency-Replayed'] = 'true';
  if (operation.pagination && result instanceof StoredPage && result.next !== undefined) {
    const query = new URLSearchParams(target.query);
    query.set(operation.pagination.cursor, String(result.next));
    // Relative to the request, so that it also works behind a proxy that adds a path.
    headers.Link = [headers.Link ?? [], `<?${query}>; rel="next"`].flat().join(', ');
  }
  const etag =
    operation.method === 'GET' && body ? `"${hash('sha1', body, 'base64url')}"` : undefined;
  if (etag) headers.ETag = etag;
  return {
    status,
    headers: Object.entries(headers).flat(),
    etag,
    body,
  };
}

/** The status of a success with a body. */
function statusOf(operation: Operation): number {
  return operation.success ?? Number(operation.successes[0]);
}
