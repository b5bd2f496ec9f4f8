// What is known of a request while it passes through the app. The steps of `app.ts` fill it in.
import { randomUUID } from 'node:crypto';
import type { Operation } from '@petstore/types';
import type { Request, Response } from 'express';
import { type Input, type Target, targetOf } from './target.ts';

/** What is sent as a response, beside the headers that every response has. */
export interface Reply {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers?: readonly string[] | undefined;
  /** The version of the body. A client that has it gets 304. */
  readonly etag?: string | undefined;
  /** The link to the next page. A 304 lacks it. */
  readonly link?: string | undefined;
  readonly body?: string | undefined;
  /** The media type of the body. Default: JSON. */
  readonly type?: string | undefined;
}

/** The head of a response, but for the length and the type of its body. */
export interface Head {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: string[];
}

/** What the exchanges of an app share. */
export interface Shared {
  /** The memory for responses that clients have not read yet. */
  readonly unread: Budget;
  /** Whether each response is compared with the spec. */
  readonly validateResponses: boolean;
}

/** A bound for what many requests use together, such as the memory for bodies. */
export class Budget {
  readonly #limit: number;
  #used = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isExceeded(): boolean {
    return this.#used > this.#limit;
  }

  use(amount: number): void {
    this.#used += amount;
  }

  release(amount: number): void {
    this.#used -= amount;
  }
}

/** A request and its response, with what the steps find out. */
export class Exchange {
  readonly shared: Shared;
  readonly request: Request;
  readonly response: Response;
  readonly startedAt = performance.now();
  /** How long the response took, once it has ended. */
  milliseconds = 0;
  readonly requestId: string;
  readonly method: string;
  readonly target: Target;
  /** The operation of the target, if it has one for the method. A HEAD request is one of GET. */
  readonly operation: Operation | undefined;
  /** The name of the API key, once it is accepted. */
  caller: string | undefined;
  /** The content of the request, once it is read. */
  input: Input | undefined;
  /** The cause of a failure, for the log. */
  error: unknown;

  constructor(request: Request, response: Response, shared: Shared) {
    this.shared = shared;
    this.request = request;
    this.response = response;
    this.method = request.method;
    this.requestId = givenId(request.headers['x-request-id']) ?? newRequestId();
    this.target = targetOf(request.url);
    this.operation = this.target.route?.operations.get(
      this.method === 'HEAD' ? 'GET' : this.method,
    );
  }

  /** The operation of a request that has been routed. */
  get routedOperation(): Operation {
    if (!this.operation) throw new Error('The request was not routed.');
    return this.operation;
  }

  /** The content of a request that has been read. */
  get readInput(): Input {
    if (!this.input) throw new Error('The request was not read.');
    return this.input;
  }
}

/** Begins an exchange, which later steps get by `exchangeOf`. */
export function beginExchange(request: Request, response: Response, shared: Shared): Exchange {
  const exchange = new Exchange(request, response, shared);
  response.locals.exchange = exchange;
  return exchange;
}

/** The exchange that has begun with this response. */
export function exchangeOf(response: Response): Exchange {
  return response.locals.exchange;
}

/** The identifiers of this process begin with this. They are counted: a UUID for each takes longer. */
const run = randomUUID().replaceAll('-', '').slice(0, 20);
let count = 0;

export function newRequestId(): string {
  count++;
  return `${run}-${count.toString(36)}`;
}

/** For example `8e03978e-40d5-43dd-bc93-6894a57f9324` or `gateway/17`. */
const GIVEN_ID = /^[\w.:+/=-]{1,128}$/;

/** The identifier that a request brings, if it is harmless. */
function givenId(text: string | string[] | undefined): string | undefined {
  return typeof text === 'string' && GIVEN_ID.test(text) ? text : undefined;
}
