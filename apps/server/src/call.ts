// Calls the handler of a valid request, and sends what it returns. A request with an idempotency key is executed once.
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  exactJson,
  type Input as InputOf,
  type Operation,
  type OperationId,
  type Result,
} from '@petstore/types';
import type { RequestHandler } from 'express';
import { HttpError, inFlight, unavailable } from './errors.ts';
import { type Exchange, exchangeOf, type Reply } from './exchange.ts';
import type { Health } from './health.ts';
import type { Log } from './log.ts';
import { replayOf, replyOf, send, successStatus } from './send.ts';
import type {
  Awaitable,
  Collection,
  Declaration,
  KeyedRequest,
  Store,
  StoredDocument,
  StoredPage,
} from './store/store.ts';
import type { Input, Values } from './target.ts';

/** What else is known of a request. */
export interface Context {
  /** The name of the API key. */
  readonly caller: string;
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  /** Aborts if the client is gone before it has the response. */
  readonly signal: AbortSignal;
  readonly log: HandlerLog;
}

/** Writes lines with the identifier of the request. */
export interface HandlerLog {
  info(message: string): void;
  warn(message: string): void;
}

/**
 * What a handler may return for a result of the spec: a list or a page of a collection, an object or a document of a
 * collection, and `undefined` only where the spec declares a success without a body.
 */
type Returned<R> = R extends readonly unknown[]
  ? R | StoredPage
  : undefined extends R
    ? R
    : R | StoredDocument;

/** A function for each operation, which gets valid input. It throws an `HttpError` for an error of the spec. */
export type HandlersOver<Declarations> = {
  readonly [Id in OperationId]: (
    input: InputOf<Id>,
    /** Bound to the idempotency key of the request. */
    collections: { readonly [Name in keyof Declarations]: Collection },
    context: Context,
  ) => Awaitable<Returned<Result<Id>>>;
};

type Collections = Readonly<Record<string, Collection>>;
type AnyHandler = (input: Values, collections: Collections, context: Context) => unknown;
type Declarations = Readonly<Record<string, Declaration>>;

/** Calls the handler of the operation, and sends what it returns. */
export function callHandler(
  health: Health,
  handlers: object,
  declarations: Declarations,
  log: Log | undefined,
): RequestHandler {
  const byOperation = new Map<string, AnyHandler>(Object.entries(handlers));
  const running = new Set<string>();
  /** The collections of requests without an idempotency key. */
  let unkeyed: Collections | undefined;
  return async (_request, response) => {
    const exchange = exchangeOf(response);
    const { routedOperation: operation, parsedInput: input, target } = exchange;
    // Before anything is done, because the response would wait in memory, too.
    if (exchange.shared.unread.isExceeded)
      throw unavailable('Too many responses are waiting. Retry later.');
    const handler = byOperation.get(operation.id);
    if (!handler)
      throw new HttpError('internal_error', `${operation.id} is not implemented.`, { status: 501 });
    const store = health.openStore();
    input.values ??= Object.freeze(valuesOf(operation, input));
    const { values } = input;
    const context = new ExchangeContext(exchange, log);
    if (input.idempotencyKey === undefined) {
      unkeyed ??= collectionsOf(declarations, (name) => store.collection(name));
      send(exchange, replyOf(operation, target, await handler(values, unkeyed, context)));
      return;
    }
    const request = keyedRequest(context.caller, input.idempotencyKey, operation, values);
    const reply = await whileRunning(running, request, () =>
      callOnce(exchange, store, request, (keyed) =>
        handler(values, collectionsOf(declarations, keyed), context),
      ),
    );
    send(exchange, reply);
  };
}

function valuesOf(operation: Operation, { header, query, path, body }: Input): Values {
  const parameters = { ...header, ...query, ...path };
  if (!operation.body) return parameters;
  return operation.body.whole ? { ...parameters, body } : { ...parameters, ...(body as object) };
}

/** A class, because an object literal with a getter lives until V8 collects all garbage. */
class ExchangeContext implements Context {
  readonly #exchange: Exchange;
  readonly #log: Log | undefined;
  #controller: AbortController | undefined;
  readonly caller: string;
  readonly requestId: string;

  constructor(exchange: Exchange, log: Log | undefined) {
    this.#exchange = exchange;
    this.#log = log;
    this.caller = exchange.caller ?? '';
    this.requestId = exchange.requestId;
  }

  get headers() {
    return this.#exchange.request.headers;
  }

  /** Made only for handlers that use it, because it takes long. */
  get signal(): AbortSignal {
    this.#controller ??= abortedWith(this.#exchange.response);
    return this.#controller.signal;
  }

  get log(): HandlerLog {
    const { requestId } = this;
    return {
      info: (message) => this.#log?.info(message, { requestId }),
      warn: (message) => this.#log?.warn(message, { requestId }),
    };
  }
}

function abortedWith(response: Exchange['response']): AbortController {
  const controller = new AbortController();
  const abort = () => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.closed) abort();
  else response.once('close', abort);
  return controller;
}

function collectionsOf(
  declarations: Declarations,
  open: (name: string) => Collection,
): Collections {
  const all: Record<string, Collection> = {};
  for (const [property, { name }] of Object.entries(declarations)) all[property] = open(name);
  return all;
}

function keyedRequest(
  caller: string,
  key: string,
  operation: Operation,
  values: Values,
): KeyedRequest {
  const text = `${operation.method} ${operation.path} ${exactJson(sorted(values))}`;
  const status = successStatus(operation, true) ?? successStatus(operation, false) ?? 200;
  return { caller, key, fingerprint: hash('sha256', text, 'base64url'), status };
}

/** The value with the properties of its objects in the order of their names, which does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]));
}

/** While a keyed request is running, others with its key get 409. */
async function whileRunning<T>(
  running: Set<string>,
  { caller, key }: KeyedRequest,
  execute: () => Promise<T>,
): Promise<T> {
  const id = `${caller} ${key}`;
  if (running.has(id)) throw inFlight();
  running.add(id);
  try {
    return await execute();
  } finally {
    running.delete(id);
  }
}

/** Calls a handler, unless the request was executed before: then the reply is the first one. */
async function callOnce(
  { routedOperation: operation, target }: Exchange,
  store: Store,
  request: KeyedRequest,
  call: (open: (name: string) => Collection) => unknown,
): Promise<Reply> {
  const replay = await store.replay(request);
  if (replay) return replayOf(operation, replay);
  const writes: Writes = { last: undefined };
  const result = await call((name) => noting(writes, store.collection(name, request)));
  if (!writes.last) return replyOf(operation, target, result);
  // A repetition gives the document that the write returned, so the first response has to be the same.
  const first = replayOf(operation, { status: request.status, document: writes.last });
  if (result !== (first.body === undefined ? undefined : writes.last))
    throw new Error(
      `${operation.id} returned something else than what it wrote with an idempotency key; a repetition could not return it.`,
    );
  // Another server may have executed the request since it was looked up.
  return writes.last.isReplayed ? first : replyOf(operation, target, result);
}

/** What the last write of a request returned. */
interface Writes {
  last: StoredDocument | undefined;
}

/** A collection that notes what its writes return. */
function noting(writes: Writes, collection: Collection): Collection {
  return {
    get: (id) => collection.get(id),
    list: (query) => collection.list(query),
    create: async (document) => {
      const created = await collection.create(document);
      writes.last = created;
      return created;
    },
    replace: async (id, document) => {
      writes.last = await collection.replace(id, document);
      return writes.last;
    },
    remove: async (id) => {
      writes.last = await collection.remove(id);
      return writes.last;
    },
  };
}
