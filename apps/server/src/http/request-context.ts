import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Operation } from '@petstore/types';
import type { Response } from 'express';
import type { Route, RouteMatch } from './routes.ts';
import type { Target } from './targets.ts';

/** The parameters of a request by their place and name, as the values that their text stands for. */
export interface ParameterValues {
  readonly query: Record<string, unknown>;
  readonly params: Record<string, unknown>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly cookies: Record<string, unknown>;
}

/** The input of an operation, once it was accepted: every field by its name. */
export type Input = Readonly<Record<string, unknown>>;

/** Everything that is known of a request while it is answered. */
export interface RequestContext {
  readonly requestId: string;
  /** When it came, on the clock of `performance.now()`. */
  readonly started: number;
  /** As it was sent: the fast path and Express may change the request's own. */
  readonly method: string;
  readonly target: Target;
  /** The path, normalized. */
  readonly path: string;
  /** The query as it was sent, without the question mark. */
  readonly query: string;
  /** The route of the interface that the path leads to. */
  readonly route: Route | undefined;
  /** The path parameters, as they were sent. */
  readonly pathParams: RouteMatch['params'];
  /** The operation that was asked for. */
  readonly operation: Operation | undefined;
  /** The address of the client, as far as it can be trusted. */
  readonly client: string | undefined;
  /** The trace that the request belongs to (W3C Trace Context). */
  readonly trace: Trace | undefined;
  /** The name of the key that called. */
  keyName: string | undefined;
  /** Milliseconds until the key may call again, once its rate limit was applied; 0 where it may call now. */
  retryAfterMs: number | undefined;
  /** The parameters, once they were read. */
  parameters: ParameterValues | undefined;
  /** The input of the operation, once the validator has accepted it. */
  input: Input | undefined;
  /** The body, once it was received. */
  body: Uint8Array | undefined;
  /** The error in it, once it was parsed. */
  bodyError: unknown;
  /** The bytes that the body holds of the bound of all bodies. */
  bodyBytes: number;
  /** Whether the store still works on it. */
  isPending: boolean;
}

export interface Trace {
  readonly traceId: string;
  readonly parentId: string;
}

/** The context of a request for this target: its operation, its own identifier or a new one. */
export function createContext(
  { method = '', headers }: IncomingMessage,
  target: Target,
  client: string | undefined,
): RequestContext {
  const { path, query, match } = target;
  const { traceparent } = headers;
  return {
    requestId: requestIdOf(headers['x-request-id']),
    started: performance.now(),
    method,
    target,
    path,
    query,
    route: match?.route,
    pathParams: match?.params ?? NO_PARAMS,
    operation: match?.route.methods.get(method) ?? (method === 'HEAD' ? match?.route.methods.get('GET') : undefined),
    client,
    trace: typeof traceparent === 'string' ? traceOf(traceparent) : undefined,
    keyName: undefined,
    retryAfterMs: undefined,
    parameters: undefined,
    input: undefined,
    body: undefined,
    bodyError: undefined,
    bodyBytes: 0,
    isPending: false,
  };
}

const NO_PARAMS = {};

function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[\x21-\x7e]{1,128}$/.test(header) ? header : newRequestId();
}

const run = randomUUID().slice(0, -12);
const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0');
const lastDigits = Array.from({ length: 4096 }, (_, i) => hex(i, 3));
let [count, firstDigits] = [0, ''];

/** A UUID that is random for the run, and counts in its last part. */
export function newRequestId(): string {
  const low = ++count % 4096;
  if (low === 0 || firstDigits === '') firstDigits = run + hex(Math.floor(count / 4096), 9);
  return firstDigits + lastDigits[low];
}

const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(-.*)?$/;

/** The trace that a valid `traceparent` names. Versions above 00 may carry more behind it. */
export function traceOf(traceparent: string): Trace | undefined {
  const [, version, traceId, parentId, more] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || parentId === undefined || (version === '00' && more !== undefined)) return undefined;
  return { traceId, parentId };
}

/** Hands an accepted request to an Express app. */
export function passTo(
  app: RequestListener,
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
): void {
  (response as Partial<{ locals: RequestContext }>).locals = context;
  app(request, response);
}

/** The context that Express carries along in `response.locals`. */
export function contextOf(response: ServerResponse): RequestContext {
  return (response as Response).locals as RequestContext;
}
