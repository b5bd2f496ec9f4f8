import { type Api, deployments, type Operation, type OperationId, operations, service } from '@petstore/types';
import { exactJson } from '../bodies.ts';
import { type Options, type Petstore, petstore } from '../petstore.ts';
import { type Interruption, wait } from './interrupt.ts';
import { HttpError, matchRoute, readInputs } from './read-request.ts';
import { Resources } from './resources.ts';

export type { Interruption } from './interrupt.ts';

/** How many requests are remembered. */
const MAX_REQUESTS = 1_000;

export interface FakeOptions {
  /** The only key that is accepted; by default any. */
  apiKey?: string;
  /** Where the service is said to be; by default the first deployment of the spec. */
  baseUrl?: string;
  /** The most elements that a page has, so that few of them make several pages. */
  pageSize?: number;
  /** Operations that do something else, or whose shape does not say what they do. */
  handlers?: Partial<Api>;
}

/** A request as it arrived. */
export interface FakeRequest {
  readonly operation: OperationId | undefined;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A service in memory that answers as the real one does. */
export interface FakeService {
  /** Takes the place of the global `fetch`, or of the option `fetch` of a client. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** A client of the service. It waits for milliseconds only before it tries again. */
  readonly store: Petstore;
  /** The last requests that arrived, in order. */
  readonly requests: readonly FakeRequest[];
  /** What happens to the next requests of an operation, one after the other. */
  next(operation: OperationId, ...interruptions: Interruption[]): void;
  /** Forgets all documents, requests and interruptions. */
  reset(): void;
}

const all: readonly Operation[] = Object.values(operations);

/** Makes a fake service. It validates requests by the spec, and does what the shape of an operation says. */
export function fakeService(options: FakeOptions = {}): FakeService {
  const {
    baseUrl = Object.values<string>(deployments)[0] ?? '',
    apiKey,
    pageSize = Number.POSITIVE_INFINITY,
  } = options;
  const basePath = new URL(baseUrl).pathname.replace(/\/+$/, '');
  const requests: FakeRequest[] = [];
  const interruptions = new Map<string, Interruption[]>();
  const answers = new Map<string, { readonly request: string; readonly response: Response }>();
  let resources = new Resources(all, pageSize);

  /** Does what a request asks for. */
  const serve = async (request: Request, path: string, query: URLSearchParams): Promise<Response> => {
    const { operation, words } = matchRoute(all, request.method, path);
    const { id, security, idempotencyKey, pagination } = operation;
    const key = /^bearer (.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    const isBearer = security.length > 0 && security.every((names) => names.includes('bearer'));
    if (isBearer && (key === undefined || (apiKey !== undefined && key !== apiKey)))
      throw new HttpError(401, 'The API key is missing or invalid.');
    const idempotent = idempotencyKey && request.headers.get(idempotencyKey.header);
    const content = `${id} ${path} ${idempotent ? await request.clone().text() : ''}`;
    const before = idempotent ? answers.get(idempotent) : undefined;
    if (before && before.request !== content)
      throw new HttpError(422, 'This Idempotency-Key belongs to another request.');
    if (before) return before.response.clone();
    const input = await readInputs(operation, words, query, request);
    const handler = options.handlers?.[id as OperationId] as ((input: object) => Promise<unknown>) | undefined;
    const done = handler ? { data: await handler(input) } : resources.run(operation, path, input);
    if (done === 'unknown')
      throw new HttpError(501, `The fake service does not know what ${id} does: give handlers.${id}.`);
    if (!done) throw new HttpError(404, 'The requested resource could not be found.');
    const headers: Record<string, string> = { 'x-request-id': `fake-${requests.length}` };
    if (done.next !== undefined) {
      query.set(pagination?.cursor ?? 'after', String(done.next));
      headers.link = `<${basePath}${path}?${query}>; rel="next"`;
    }
    const response = responseOf(operation, done.data, headers);
    if (idempotent) answers.set(idempotent, { request: content, response: response.clone() });
    return response;
  };

  const fetch: FakeService['fetch'] = async (input, init) => {
    const request = new Request(input, init);
    const { pathname, searchParams } = new URL(request.url);
    const path = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : '';
    const id = operationOf(request.method, path);
    requests.push({
      operation: id,
      method: request.method,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      body: await request.clone().text(),
    });
    if (requests.length > MAX_REQUESTS) requests.shift();
    const { delay = 0, disconnect, status, headers, text, ...error } = interruptions.get(id ?? '')?.shift() ?? {};
    await wait(delay, request.signal);
    const broken = () => new TypeError('fetch failed', { cause: new Error('the fake service ended the connection') });
    if (disconnect === 'before') throw broken();
    try {
      if (status !== undefined) return errorResponse(status, error, headers, text);
      const response = await serve(request, path, searchParams);
      if (disconnect === 'after') throw broken();
      return text === undefined ? response : new Response(text, response);
    } catch (reason) {
      if (!(reason instanceof HttpError)) throw reason;
      return errorResponse(reason.status, reason, headers, text);
    }
  };

  const clientOptions: Options = { baseUrl, apiKey: apiKey ?? 'a-key', fetch, retry: { base: 1 }, logLevel: 'off' };
  return {
    fetch,
    store: petstore(clientOptions),
    requests,
    next: (operation, ...more) => {
      interruptions.set(operation, [...(interruptions.get(operation) ?? []), ...more]);
    },
    reset: () => {
      requests.length = 0;
      interruptions.clear();
      answers.clear();
      resources = new Resources(all, pageSize);
    },
  };
}

function operationOf(method: string, path: string): OperationId | undefined {
  try {
    return matchRoute(all, method, path).operation.id as OperationId;
  } catch {
    return undefined;
  }
}

function responseOf({ responses, successes, success }: Operation, data: unknown, headers: Record<string, string>) {
  const { kind, mediaType } = responses[success ?? successes[0] ?? ''] ?? {};
  const status = success ?? 200;
  if (kind === undefined) return new Response(null, { status, headers });
  const body = kind === 'json' ? exactJson(data) : (data as ConstructorParameters<typeof Response>[0]);
  return new Response(body, { status, headers: { ...headers, ...(mediaType && { 'content-type': mediaType }) } });
}

/** An error as the service writes it. */
function errorResponse(
  status: number,
  { code, message }: { readonly code?: string; readonly message?: string },
  headers: Readonly<Record<string, string>> = {},
  text?: string,
): Response {
  const [known] = Object.entries<number>(service.statuses).find(([, one]) => one === status) ?? [];
  const error = {
    code: code ?? known ?? (status < 500 ? 'invalid_request' : 'internal_error'),
    message: message ?? `It is ${status}.`,
    status,
  };
  return new Response(text ?? JSON.stringify(error), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}
