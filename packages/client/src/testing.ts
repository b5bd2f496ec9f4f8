import {
  closest,
  exactJson,
  type Operation,
  type OperationId,
  operations,
  parseExact,
  type ServiceErrorCode,
  service,
} from '@petstore/types';
import { type Options, type Petstore, petstore } from './index.ts';

/** How the fake answers one request. What is left out is as usual. */
export interface Answer {
  status?: number;
  /** The code and the message of an error; by default those of the status. */
  code?: ServiceErrorCode;
  message?: string;
  /** The body, sent as JSON, or as it is if it is a text. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Milliseconds before the answer. */
  delay?: number;
  /** Breaks the connection before or after the request has an effect. */
  disconnect?: 'before' | 'after';
}

/** A request that the fake received. */
export interface FakeRequest {
  readonly operation: OperationId;
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: unknown;
}

/** The service in memory: it creates, gets and lists, but validates nothing. */
export interface FakePetstore {
  /** A client of this fake, which retries at once. */
  readonly store: Petstore;
  /** For the option `fetch` of your own client, or instead of the global `fetch`. */
  readonly fetch: NonNullable<Options['fetch']>;
  /** All requests since the beginning or the last `reset`. */
  readonly requests: FakeRequest[];
  /** Determines how the next requests of an operation are answered, one after the other. */
  next(operation: OperationId, ...answers: Answer[]): void;
  /** Forgets everything. */
  reset(): void;
}

/** Creates a fake. `pageSize` limits the pages of lists, so that few elements make several pages. */
export function fakePetstore({ pageSize = Infinity } = {}): FakePetstore {
  const requests: FakeRequest[] = [];
  const answers = new Map<OperationId, Answer[]>();
  let memory = newMemory(pageSize);

  const fetch: FakePetstore['fetch'] = async (input, init) => {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const url = new URL(request.url);
    const operation = operationOf(request.method, url.pathname);
    if (!operation) return responseOf({ status: 404 });
    const { id, idempotencyKey, successes } = operation;
    const { method, headers } = request;
    const body = parseExact((await request.text()) || 'null');
    requests.push({ operation: id, method, url: url.href, headers, body });
    const answer = answers.get(id)?.shift() ?? {};
    await pause(answer.delay ?? 0, request.signal);
    if (answer.disconnect === 'before') throw disconnected();
    const isScripted = answer.body !== undefined || (answer.status ?? 0) >= 400;
    const key = idempotencyKey && headers.get(idempotencyKey.header);
    const result = isScripted
      ? { status: Number(successes[0]) }
      : memory(operation, url, body, key);
    if (answer.disconnect === 'after') throw disconnected();
    return responseOf({ ...result, ...answer, headers: { ...result.headers, ...answer.headers } });
  };

  return {
    store: petstore({
      baseUrl: `http://fake.test${service.basePath}`,
      apiKey: 'a-key',
      fetch,
      retry: { base: 0 },
    }),
    fetch,
    requests,
    next(operation, ...more) {
      const ids: readonly string[] = Object.keys(operations);
      const meant = closest(operation, ids) ?? ids.join(', ');
      if (!ids.includes(operation))
        throw new TypeError(`there is no operation ${operation}, but ${meant}`);
      answers.set(operation, [...(answers.get(operation) ?? []), ...more]);
    },
    reset() {
      requests.length = 0;
      answers.clear();
      memory = newMemory(pageSize);
    },
  };
}

type Document = Readonly<Record<string, unknown>>;
type Result = Pick<Answer, 'status' | 'body' | 'headers'>;

/** The documents by the path of their collection. A POST adds one, and the methods of a document's own path are about that one. */
function newMemory(pageSize: number) {
  const collections = new Map<string, Map<string, Document>>();
  const created = new Map<string, Result>();
  let lastId = 0;
  return (
    operation: Operation,
    url: URL,
    body: unknown,
    idempotencyKey: string | null | undefined,
  ): Result => {
    const { method, path, pagination, successes } = operation;
    const [, collectionPath = '', name = ''] =
      (path.endsWith('}') ? /^(.*)\/(.*)$/ : /^(.*)$/).exec(url.pathname) ?? [];
    const documents = collections.get(collectionPath) ?? new Map<string, Document>();
    collections.set(collectionPath, documents);
    const key = pagination?.key ?? 'id';
    const status = Number(successes[0]);
    const repeated = created.get(`${operation.id} ${idempotencyKey}`);
    if (repeated) return repeated;
    if (pagination) return { status, ...pageOf([...documents.values()], operation, url, pageSize) };
    if (method === 'POST' && name === '') {
      const id = ++lastId;
      const document = { [key]: id, ...Object(body) };
      documents.set(String(id), document);
      if (idempotencyKey)
        created.set(`${operation.id} ${idempotencyKey}`, { status, body: document });
      return { status, body: document };
    }
    const document = documents.get(name);
    if (name === '' || method === 'POST') return { status: 501 };
    if (!document) return { status: 404 };
    if (method === 'DELETE') documents.delete(name);
    if (method === 'PUT') documents.set(name, { [key]: document[key], ...Object(body) });
    if (method === 'PATCH') documents.set(name, { ...document, ...Object(body) });
    return { status, body: documents.get(name) };
  };
}

function pageOf(
  documents: Document[],
  { fields, pagination }: Operation,
  url: URL,
  pageSize: number,
): Result {
  if (!pagination) return {};
  const { cursor, limit, key } = pagination;
  const query = url.searchParams;
  const filters = [...query].filter(([name]) => name !== cursor && name !== limit);
  const matching = documents.filter(
    (document) =>
      Number(document[key]) > Number(query.get(cursor) ?? 0) &&
      filters.every(([name, value]) => String(document[name]) === value),
  );
  const body = matching.slice(
    0,
    Math.min(pageSize, Number(query.get(limit) ?? fields[limit]?.schema.default)),
  );
  query.set(cursor, String(body.at(-1)?.[key]));
  return {
    body,
    ...(body.length < matching.length && { headers: { link: `<?${query}>; rel="next"` } }),
  };
}

function operationOf(method: string, pathname: string) {
  return Object.values<Operation & { readonly id: OperationId }>(operations).find((operation) => {
    const pattern = (service.basePath + operation.path).replaceAll(/\{[^}]+\}/g, '[^/]+');
    return operation.method === method && new RegExp(`${pattern}$`).test(pathname);
  });
}

function responseOf({ status = 200, code, message, body, headers = {} }: Answer): Response {
  const codes = Object.entries<number>(service.statuses).filter(
    ([, declared]) => declared === status,
  );
  const error = {
    code: code ?? codes[0]?.[0] ?? 'internal_error',
    message: message ?? `It is ${status}.`,
    status,
  };
  const content = body ?? (status >= 400 ? error : undefined);
  const text = content === undefined || typeof content === 'string' ? content : exactJson(content);
  // A response with one of these statuses has no body.
  return new Response([204, 205, 304].includes(status) ? null : (text ?? null), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

const disconnected = () =>
  new TypeError('fetch failed', { cause: new Error('the fake broke the connection') });

/** Waits. The signal ends the wait, so that no timer remains. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, Math.min(milliseconds, 2 ** 31 - 1));
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
