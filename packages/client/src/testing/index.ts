import { type Api, deployments, type Operation, type OperationId, operations } from '../old.ts';
import { type Petstore, petstore } from '../petstore.ts';
import { callerOf } from './authenticate.ts';
import { HttpError, type Inputs } from './read-body.ts';
import { fingerprintOf, idempotencyKeyOf, type Route, readInputs, routesOf } from './read-request.ts';
import { type OperationResult, Resources } from './resources.ts';
import { allowOf, deprecationOf, errorResponse, okResponse } from './responses.ts';

/** The maximum length of `requests`, which holds the last requests. */
const MAX_REQUESTS = 1_000;

/** The options of a fake service. */
export interface FakeOptions {
  /** The only accepted key; any by default. */
  apiKey?: string;
  /** The address of the service; by default that of the first deployment in the spec. */
  baseUrl?: string;
  /** The maximum number of elements on a page, so that a test with few elements gets several pages. */
  pageSize?: number;
  /** Replaces operations, and implements those that the fake service cannot derive from the spec. */
  handlers?: Partial<Api>;
}

/** A request that the fake service received. */
export interface FakeRequest {
  readonly operation: OperationId | undefined;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Changes how the fake service handles one request. */
export interface Interruption {
  /** Responds with this status and an error, and executes nothing. */
  readonly status?: number;
  /** The code of the error; by default that of the status. */
  readonly code?: string;
  /** The message of the error. */
  readonly message?: string;
  /** Further headers of the response, `retry-after` for example. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the text of the response. */
  readonly text?: string;
  /** Waits this many milliseconds first. */
  readonly delay?: number;
  /** Ends the connection before or after the service executes the request. `after` loses only the response. */
  readonly disconnect?: 'before' | 'after';
}

/** A service in memory that responds as the real one does. */
export interface FakeService {
  /** Replacement for the global `fetch` or a client's option `fetch`. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** A client of the service. Without `retry-after`, it retries within milliseconds. */
  readonly store: Petstore;
  /** The last requests that the service received, in order. */
  readonly requests: readonly FakeRequest[];
  /** Interrupts the next requests of an operation, one after the other. */
  next(operation: OperationId, ...interruptions: Interruption[]): void;
  /** Removes all documents, requests and interruptions. */
  reset(): void;
}

const allOperations: readonly Operation[] = Object.values(operations);

/** Creates a fake service. It validates requests by the spec, and derives what an operation does from its method, path and schemas. */
export function fakeService({ apiKey, handlers = {}, ...options }: FakeOptions = {}): FakeService {
  const { baseUrl = Object.values<string>(deployments)[0] ?? '', pageSize = Infinity } = options;
  const basePath = new URL(baseUrl).pathname.replace(/\/+$/, '');
  const requests: FakeRequest[] = [];
  const interruptions = new Map<string, Interruption[]>();
  const idempotentResponses = new Map<string, { readonly fingerprint: string; readonly response: Promise<Response> }>();
  let resources = new Resources(allOperations, pageSize);
  let responseCount = 0;

  const execute = async (
    { operation }: Route,
    path: string,
    query: URLSearchParams,
    input: Inputs,
  ): Promise<Response> => {
    const { id, pagination } = operation;
    const handler = handlers[id as OperationId] as ((input: object) => Promise<unknown>) | undefined;
    const result = handler
      ? await resultOf(operation, handler.call(handlers, input))
      : resources.run(operation, path, input);
    if (result === 'unknown')
      throw new HttpError(501, `The fake service cannot derive what ${id} does: give handlers.${id}.`);
    if (!result) throw new HttpError(404, 'The requested resource could not be found.');
    const headers: Record<string, string> = {};
    if (result.next !== undefined) {
      query.set(pagination?.cursor ?? 'after', String(result.next));
      headers.link = `<${basePath}${path}?${query}>; rel="next"`;
    }
    return okResponse(operation, result, headers);
  };

  const executeOnce = async (
    request: Request,
    route: Route,
    path: string,
    query: URLSearchParams,
    caller: string,
  ): Promise<Response> => {
    const { operation } = route;
    const input = await readInputs(route, query, request);
    const idempotencyKey = idempotencyKeyOf(operation, request);
    if (idempotencyKey === undefined) return execute(route, path, query, input);
    const fingerprint = `${operation.id} ${await fingerprintOf(input)}`;
    const key = JSON.stringify([caller, idempotencyKey]);
    const earlier = idempotentResponses.get(key);
    if (earlier) {
      if (earlier.fingerprint !== fingerprint)
        throw new HttpError(422, 'This idempotency key belongs to another request.');
      const replayed = (await earlier.response).clone();
      replayed.headers.set('idempotency-replayed', 'true');
      return replayed;
    }
    const response = execute(route, path, query, input);
    idempotentResponses.set(key, { fingerprint, response });
    // A request that fails does nothing, so its repetition is executed.
    response.catch(() => idempotentResponses.delete(key));
    return (await response).clone();
  };

  const fetch: FakeService['fetch'] = async (input, init) => {
    const request = new Request(input, init);
    const { pathname, searchParams } = new URL(request.url);
    const path = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : '';
    const routes = routesOf(allOperations, path);
    // HEAD gets the response to a GET, without the body.
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const route = routes.find(({ operation }) => operation.method === method);
    const id = route?.operation.id as OperationId | undefined;
    requests.push({
      operation: id,
      method: request.method,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      body: await request.clone().text(),
    });
    if (requests.length > MAX_REQUESTS) requests.shift();
    const { delay = 0, disconnect, status, headers = {}, text, ...error } = interruptions.get(id ?? '')?.shift() ?? {};
    await wait(delay, request.signal);
    const brokenConnection = () =>
      new TypeError('fetch failed', { cause: new Error('the fake service ended the connection') });
    if (disconnect === 'before') throw brokenConnection();
    const respond = async (): Promise<Response> => {
      if (status !== undefined) return errorResponse({ status, ...error });
      const caller = path === '' ? '' : callerOf(request, route?.operation ?? {}, apiKey);
      if (routes.length === 0) throw new HttpError(404, 'There is no such path.');
      const allow = allowOf(routes.map(({ operation }) => operation));
      if (!route && method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } });
      if (!route) throw new HttpError(405, `This path has ${allow}.`, { allow });
      return executeOnce(request, route, path, searchParams, caller);
    };
    const response = await respond().catch((reason: unknown) => {
      // An error with a status, thrown by the fake service or by a handler, becomes the response.
      if (typeof Object(reason).status !== 'number') throw reason;
      return errorResponse(reason as HttpError);
    });
    if (disconnect === 'after') throw brokenConnection();
    for (const header of deprecationOf(route?.operation, basePath)) response.headers.append(...header);
    response.headers.set('x-request-id', `fake-${++responseCount}`);
    for (const header of Object.entries(headers)) response.headers.set(...header);
    const body = request.method === 'HEAD' ? null : text;
    return body === undefined ? response : new Response(body, response);
  };

  return {
    fetch,
    store: petstore({ baseUrl, apiKey: apiKey ?? 'a-key', fetch, retry: { base: 1 }, logLevel: 'off' }),
    requests,
    next: (operation, ...more) => {
      interruptions.set(operation, [...(interruptions.get(operation) ?? []), ...more]);
    },
    reset: () => {
      requests.length = 0;
      interruptions.clear();
      idempotentResponses.clear();
      resources = new Resources(allOperations, pageSize);
    },
  };
}

/** The result of a handler, which returns `{ status, data }` if there are several successes. */
async function resultOf({ successes }: Operation, data: Promise<unknown>): Promise<OperationResult> {
  return successes.length > 1 ? ((await data) as OperationResult) : { data: await data };
}

/** Waits, and rejects as fetch does when the signal aborts. */
function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // A timer fires at once if the time is longer than 31 bits.
    const timer = setTimeout(resolve, Math.min(2e9, milliseconds));
    signal.onabort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
  });
}
