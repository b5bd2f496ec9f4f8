// Calls the handler of a valid request, and sends what it returns. A request with an idempotency key is executed once.
import { hash } from 'node:crypto';
import { exactJson, type Operation } from '@petstore/types';
import type { RequestHandler } from 'express';
import { HttpError, inFlight, unavailable } from './errors.ts';
import { type Exchange, exchangeOf, type Reply } from './exchange.ts';
import { collections, type Handlers } from './handlers.ts';
import { type Context, ExchangeContext } from './handling.ts';
import type { OpeningStore } from './health.ts';
import type { Log } from './log.ts';
import { replayOf, replyOf, successesOf } from './reply.ts';
import { send } from './send.ts';
import type { Collection, KeyedRequest, Store, StoredDocument } from './store/store.ts';
import type { Input, Values } from './target.ts';

type Collections = Readonly<Record<string, Collection>>;
type AnyHandler = (input: Values, collections: Collections, context: Context) => unknown;

/** Calls the handler of the operation, and sends what it returns. */
export function callHandler(
  opening: OpeningStore,
  handlers: Partial<Handlers>,
  log: Log | undefined,
): RequestHandler {
  const byOperation = new Map(Object.entries(handlers) as [string, AnyHandler][]);
  const running = new Set<string>();
  /** The collections of requests without an idempotency key. */
  let unkeyed: Collections | undefined;
  return async (_request, response) => {
    const exchange = exchangeOf(response);
    const { routedOperation: operation, readInput: input, target } = exchange;
    // Before anything is done, because the response would wait in memory, too.
    if (exchange.shared.unread.isExceeded)
      throw unavailable('Too many responses are waiting. Retry later.');
    const handler = byOperation.get(operation.id);
    if (!handler)
      throw new HttpError('internal_error', `${operation.id} is not implemented.`, { status: 501 });
    const store = opening.get();
    input.values ??= Object.freeze(valuesOf(operation, input));
    const { values } = input;
    const context = new ExchangeContext(exchange, log);
    if (input.idempotencyKey === undefined) {
      unkeyed ??= collectionsOf(store);
      send(exchange, replyOf(operation, target, await handler(values, unkeyed, context)));
      return;
    }
    const request = keyedRequest(context.caller, input.idempotencyKey, operation, values);
    const reply = await whileRunning(running, request, () =>
      callOnce(exchange, store, request, (keyed) => handler(values, keyed, context)),
    );
    send(exchange, reply);
  };
}

function valuesOf(operation: Operation, { header, query, path, body }: Input): Values {
  const parameters = { ...header, ...query, ...path };
  if (!operation.body) return parameters;
  return operation.body.whole ? { ...parameters, body } : { ...parameters, ...(body as object) };
}

function collectionsOf(store: Pick<Store, 'collection'>): Collections {
  const all: Record<string, Collection> = {};
  for (const [name, declaration] of Object.entries(collections))
    all[name] = store.collection(declaration.name);
  return all;
}

function keyedRequest(
  caller: string,
  key: string,
  operation: Operation,
  values: Values,
): KeyedRequest {
  const { withBody, empty } = successesOf(operation);
  const fingerprint = fingerprintOf(operation.method, operation.path, values);
  return { caller, key, fingerprint, status: withBody ?? empty ?? 200 };
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
  call: (collections: Collections) => unknown,
): Promise<Reply> {
  const replay = await store.replay(request);
  if (replay) return replayOf(operation, target, replay.document);
  const writes = new KeyedWrites(store, request);
  const result = await call(collectionsOf(writes));
  const { written } = writes;
  if (!written) return replyOf(operation, target, result);
  // A repetition gives the document that the write returned, so the first response has to be the same.
  const isEmpty = successesOf(operation).withBody === undefined;
  if (result !== (isEmpty ? undefined : written))
    throw new Error(
      `${operation.id} returned something else than what it wrote with an idempotency key; a repetition could not return it.`,
    );
  // Another server may have executed the request since it was looked up.
  if (written.isReplayed) return replayOf(operation, target, written);
  return replyOf(operation, target, result);
}

/** The collections of a store for one keyed request, and the document that its write returned. */
class KeyedWrites {
  readonly #store: Store;
  readonly #request: KeyedRequest;
  written: StoredDocument | undefined;

  constructor(store: Store, request: KeyedRequest) {
    this.#store = store;
    this.#request = request;
  }

  collection(name: string): Collection {
    const collection = this.#store.collection(name, this.#request);
    return {
      get: (id) => collection.get(id),
      list: (query) => collection.list(query),
      create: async (document) => {
        const created = await collection.create(document);
        this.written = created;
        return created;
      },
      replace: async (id, document) => {
        this.written = await collection.replace(id, document);
        return this.written;
      },
      remove: async (id) => {
        this.written = await collection.remove(id);
        return this.written;
      },
    };
  }
}

/** A hash of a request, which tells whether another is the same. The order of properties does not matter. */
function fingerprintOf(method: string, path: string, values: object): string {
  return hash('sha256', `${method} ${path} ${exactJson(sorted(values))}`, 'base64url');
}

/** The value with the properties of its objects in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]));
}
