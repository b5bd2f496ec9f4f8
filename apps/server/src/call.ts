// Calls the handler of a valid request, and sends what it returns.
import type { Operation } from '@petstore/types';
import type { RequestHandler } from 'express';
import { HttpError, unavailable } from './errors.ts';
import { type Exchange, exchangeOf } from './exchange.ts';
import { collections, type Handlers } from './handlers.ts';
import type { Context, HandlerLog } from './handling.ts';
import { fingerprintOf, IdempotentCalls, type KeyedWrites } from './idempotency.ts';
import type { Input, Values } from './input.ts';
import type { Log } from './log.ts';
import type { OpeningStore } from './opening-store.ts';
import { keyedReplyOf, replyOf, successesOf } from './reply.ts';
import { send } from './send.ts';
import type { Collection, KeyedRequest, Store } from './store/store.ts';

type Collections = Readonly<Record<string, Collection>>;
type AnyHandler = (input: Values, collections: Collections, context: Context) => unknown;

/** Calls the handler of the operation, and sends what it returns. */
export function callHandler(
  opening: OpeningStore,
  handlers: Partial<Handlers>,
  log: Pick<Log, 'info' | 'warn'> = silent,
): RequestHandler {
  const byOperation = new Map(Object.entries(handlers) as [string, AnyHandler][]);
  const idempotent = new IdempotentCalls();
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
    const outcome = await idempotent.call(store, request, async (writes) => {
      const result = await handler(values, collectionsOf(writes), context);
      checkKeyedResult(operation, writes, result);
      return result;
    });
    send(exchange, keyedReplyOf(operation, target, outcome));
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

/** A repetition gives the document that the write returned, so the first response has to be the same. */
function checkKeyedResult(operation: Operation, { written }: KeyedWrites, result: unknown): void {
  if (!written) return;
  const isEmpty = successesOf(operation).withBody === undefined;
  if (result === (isEmpty ? undefined : written)) return;
  throw new Error(
    `${operation.id} returned something else than what it wrote with an idempotency key; a repetition could not return it.`,
  );
}

const silent: Pick<Log, 'info' | 'warn'> = {
  info: () => undefined,
  warn: () => undefined,
};

/** What a handler can learn of its request. */
class ExchangeContext implements Context {
  readonly #exchange: Exchange;
  readonly #log: Pick<Log, 'info' | 'warn'>;
  #controller: AbortController | undefined;

  constructor(exchange: Exchange, log: Pick<Log, 'info' | 'warn'>) {
    this.#exchange = exchange;
    this.#log = log;
  }

  get caller() {
    return this.#exchange.caller ?? '';
  }

  get requestId() {
    return this.#exchange.requestId;
  }

  get headers() {
    return this.#exchange.request.headers;
  }

  /** Made only for handlers that use it, because it takes long. */
  get signal() {
    this.#controller ??= abortedWith(this.#exchange);
    return this.#controller.signal;
  }

  get log(): HandlerLog {
    const { requestId } = this;
    return {
      info: (message) => this.#log.info(message, { requestId }),
      warn: (message) => this.#log.warn(message, { requestId }),
    };
  }
}

function abortedWith({ response }: Exchange): AbortController {
  const controller = new AbortController();
  const abort = () => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.closed) abort();
  else response.once('close', abort);
  return controller;
}
