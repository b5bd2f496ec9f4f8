// What is known of a request while it passes through the app. The steps of `app.ts` fill it in.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Operation } from '@petstore/types';
import type { Request, RequestHandler, Response } from 'express';
import { type HttpError, malformed } from './errors.ts';
import { type Input, type Target, targetOf } from './target.ts';

/** What is sent as a response, besides the headers that every response has. */
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
  /** The response as the middleware of `explainer.ts` sees it, if it does. */
  shown: Response | undefined;
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
  get parsedInput(): Input {
    if (!this.input) throw new Error('The request was not read.');
    return this.input;
  }
}

/** The first step: begins the exchange of a request, and refuses what HTTP does not allow. */
export function begin(shared: Shared, onEnd: (exchange: Exchange) => void): RequestHandler {
  return (request, response, next) => {
    const exchange = new Exchange(request, response, shared);
    response.locals.exchange = exchange;
    response.on('close', () => {
      exchange.milliseconds = performance.now() - exchange.startedAt;
      onEnd(exchange);
      // An idle connection keeps its last exchange.
      exchange.input = undefined;
    });
    const fault = protocolFault(request);
    if (fault) throw fault;
    next();
  };
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

/** Headers that must not repeat, because a proxy and this server could use different ones. Node keeps only one of them. */
const SINGLE = new Set(['host', 'authorization', 'content-type']);

/** A name, an IPv4 address or a bracketed IPv6 address, perhaps with a port: `shop.example:80`, `[::1]`. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/** The error of a message that HTTP does not allow (RFC 9112), where Node is lenient; undefined if it is allowed. */
function protocolFault(request: IncomingMessage): HttpError | undefined {
  const { headers, rawHeaders, httpVersion } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return malformed('This server speaks HTTP/1.1.');
  return (
    hostFault(headers.host, httpVersion) ??
    repetition(rawHeaders) ??
    codingFault(headers['transfer-encoding'], httpVersion) ??
    expectationFault(headers.expect)
  );
}

function hostFault(host: string | undefined, httpVersion: string): HttpError | undefined {
  // HTTP/1.0 had no Host.
  if (host === undefined && httpVersion === '1.0') return undefined;
  if (!host) return malformed('The Host header is missing or empty.');
  return HOST.test(host) ? undefined : malformed('The Host header is not a host.');
}

function repetition(rawHeaders: readonly string[]): HttpError | undefined {
  const seen: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    if (!SINGLE.has(name)) continue;
    if (seen.includes(name))
      return malformed(`The ${rawHeaders[i]} header appears more than once.`);
    seen.push(name);
  }
  return undefined;
}

function codingFault(coding: string | undefined, httpVersion: string): HttpError | undefined {
  if (coding === undefined) return undefined;
  if (httpVersion === '1.1' && coding.toLowerCase() === 'chunked') return undefined;
  return malformed('The only Transfer-Encoding possible is chunked, over HTTP/1.1.');
}

function expectationFault(expect: string | undefined): HttpError | undefined {
  if (expect === undefined || expect.toLowerCase() === '100-continue') return undefined;
  return malformed(`The expectation '${expect}' is not supported.`, 417);
}
