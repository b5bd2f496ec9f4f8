import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Operation } from '../old.ts';
import type { Input, ParameterValues } from './input.ts';
import type { Target } from './target-cache.ts';

/** The state of a request while it is processed. */
export interface RequestContext {
  readonly requestId: string;
  /** The time when the processing began, on the clock of `performance.now()`. A pipelined request may have arrived long before. */
  readonly started: number;
  readonly method: string;
  readonly target: Target;
  /** The operation of the route and the method. */
  readonly operation: Operation | undefined;
  /** The address of the client, as far as it can be trusted. */
  readonly client: string | undefined;
  /** The trace of the request (W3C Trace Context). */
  readonly trace: Trace | undefined;
  /** The name of the caller's API key. */
  keyName: string | undefined;
  /** Milliseconds until the rate limit of the key allows this request, 0 if it does; undefined until it is applied. */
  retryAfterMs: number | undefined;
  /** The parsed parameters; undefined until they are parsed. */
  parameters: ParameterValues | undefined;
  /** The validated input of the operation; undefined until it is validated. */
  input: Input | undefined;
  /** The received body; undefined until it is complete. */
  body: Uint8Array | undefined;
  /** The error that the fast path got from parsing the body, which the Express app then throws. */
  bodyError: unknown;
  /** The number of bytes of the body that count towards the limit of all bodies. */
  bodyBytes: number;
  /** Whether `dispatch` still needs the body, so its memory counts even after the client has disconnected. */
  isBodyInUse: boolean;
}

export interface Trace {
  readonly traceId: string;
  readonly parentId: string;
}

/** The context of a request. Its identifier is that of `X-Request-Id` if valid, else a new one. */
export function createContext(
  { method = '', headers }: IncomingMessage,
  target: Target,
  client: string | undefined,
): RequestContext {
  const { traceparent } = headers;
  const methods = target.match?.route.methods;
  return {
    requestId: requestIdOf(headers['x-request-id']),
    started: performance.now(),
    method,
    target,
    operation: methods?.get(method) ?? (method === 'HEAD' ? methods?.get('GET') : undefined),
    client,
    trace: typeof traceparent === 'string' ? traceOf(traceparent) : undefined,
    keyName: undefined,
    retryAfterMs: undefined,
    parameters: undefined,
    input: undefined,
    body: undefined,
    bodyError: undefined,
    bodyBytes: 0,
    isBodyInUse: false,
  };
}

function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[\x21-\x7e]{1,128}$/.test(header) ? header : newRequestId();
}

const randomPart = randomUUID().slice(0, -12);
const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0');
const lastDigits = Array.from({ length: 4096 }, (_, i) => hex(i, 3));
let [count, prefix] = [0, ''];

/** A UUID whose last part is a counter. The rest is random for each run of the server. */
export function newRequestId(): string {
  const low = ++count % 4096;
  if (low === 0 || prefix === '') prefix = randomPart + hex(Math.floor(count / 4096), 9);
  return prefix + lastDigits[low];
}

const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(-.*)?$/;

/** Parses `traceparent`; undefined if it is invalid. Versions above 00 may append fields. */
export function traceOf(traceparent: string): Trace | undefined {
  const [, version, traceId, parentId, more] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || parentId === undefined || (version === '00' && more !== undefined)) return undefined;
  return { traceId, parentId };
}

/** Passes an accepted request to an Express app. */
export function passTo(
  app: RequestListener,
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
): void {
  contexts.set(response, context);
  app(request, response);
}

/** The context of a request that `passTo` has passed to an Express app. */
export function contextOf(response: ServerResponse): RequestContext {
  return contexts.get(response) as RequestContext;
}

/** Not in `response.locals`, which belong to the program that embeds the server. */
const contexts = new WeakMap<ServerResponse, RequestContext>();
