// What a handler gets, and what it may return.
import type { IncomingHttpHeaders } from 'node:http';
import type { Input, OperationId, Result } from '@petstore/types';
import type { Exchange } from './exchange.ts';
import type { Log } from './log.ts';
import type { Awaitable, Collection, StoredDocument, StoredPage } from './store/store.ts';

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
    input: Input<Id>,
    /** Bound to the idempotency key of the request. */
    collections: { readonly [Name in keyof Declarations]: Collection },
    context: Context,
  ) => Awaitable<Returned<Result<Id>>>;
};

/** The context of an exchange. */
export class ExchangeContext implements Context {
  readonly #exchange: Exchange;
  readonly #log: Log | undefined;
  #controller: AbortController | undefined;

  constructor(exchange: Exchange, log: Log | undefined) {
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
  get signal(): AbortSignal {
    this.#controller ??= abortedWith(this.#exchange);
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

function abortedWith({ response }: Exchange): AbortController {
  const controller = new AbortController();
  const abort = () => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.closed) abort();
  else response.once('close', abort);
  return controller;
}
