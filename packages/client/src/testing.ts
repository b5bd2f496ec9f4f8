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
import { type FakeResponse, FakeService } from './fake-service.ts';
import { type Options, type Petstore, petstore } from './index.ts';

/** How the fake answers one request. A property that is left out has its usual value. */
export interface Answer {
  /** The status. Default: the status of `code`, if there is a code. */
  status?: number;
  /** The code of an error. Default: the service's code for the status. */
  code?: ServiceErrorCode;
  /** The message of an error. */
  message?: string;
  /** The body, sent as JSON. A string is sent as it is. */
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
  /** All requests since the fake was created or last reset. */
  readonly requests: FakeRequest[];
  /** Sets how the next requests of an operation are answered, one after the other. */
  next(operation: OperationId, ...answers: Answer[]): void;
  /** Forgets everything. */
  reset(): void;
}

/**
 * Creates a fake. `pageSize` limits the pages of lists, so that few elements make several pages.
 */
export function fakePetstore({ pageSize = Infinity } = {}): FakePetstore {
  const requests: FakeRequest[] = [];
  const answers = new Map<OperationId, Answer[]>();
  let fake = new FakeService(pageSize);

  const fetch: FakePetstore['fetch'] = async (input, init) => {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const url = new URL(request.url);
    const operation = operationOf(request.method, url.pathname);
    if (!operation) return responseOf({ status: 404 });
    const { id } = operation;
    const { method, headers } = request;
    const body = parseExact((await request.text()) || 'null');
    requests.push({ operation: id, method, url: url.href, headers, body });
    const answer = withStatus(answers.get(id)?.shift() ?? {});
    const handle = () => fake.handle(operation, url, body, headers);
    const usual = await perform(answer, handle, request.signal);
    const status = answer.status ?? usual.status ?? Number(operation.successes[0]);
    const allHeaders = { ...usual.headers, ...answer.headers };
    return responseOf({ ...usual, ...answer, status, headers: allHeaders });
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
      checkOperation(operation);
      answers.set(operation, [...(answers.get(operation) ?? []), ...more]);
    },
    reset() {
      requests.length = 0;
      answers.clear();
      fake = new FakeService(pageSize);
    },
  };
}

/** The answer with a status. If only its code is set, the status is that of the code. */
function withStatus(answer: Answer): Answer {
  const statuses: Record<string, number> = service.statuses;
  const { code = '', status = statuses[code] } = answer;
  return status === undefined ? answer : { ...answer, status };
}

/** Handles a request as usual, unless the answer delays or prevents it. */
async function perform(
  answer: Answer,
  handle: () => FakeResponse,
  signal: AbortSignal,
): Promise<FakeResponse> {
  if (answer.delay) await pause(answer.delay, signal);
  if (answer.disconnect === 'before') throw disconnected();
  const response = hasEffect(answer) ? handle() : {};
  if (answer.disconnect === 'after') throw disconnected();
  return response;
}

/** Whether the request has an effect. It has none if the answer is an error or has a body. */
function hasEffect({ body, status = 0 }: Answer): boolean {
  return body === undefined && status < 400;
}

function checkOperation(operation: string): void {
  const ids = Object.keys(operations);
  if (ids.includes(operation)) return;
  const similar = closest(operation, ids);
  const hint = similar ? `Did you mean ${similar}?` : `Use ${ids.join(', ')}.`;
  throw new TypeError(`there is no operation ${operation}. ${hint}`);
}

type AnyOperation = Operation & { readonly id: OperationId };

function operationOf(method: string, pathname: string): AnyOperation | undefined {
  return Object.values<AnyOperation>(operations).find((operation) => {
    const pattern = (service.basePath + operation.path).replaceAll(/\{[^}]+\}/g, '[^/]+');
    return operation.method === method && new RegExp(`${pattern}$`).test(pathname);
  });
}

/** These statuses have no body. */
const emptyStatuses = [204, 205, 304];

function responseOf({ status = 200, body, headers, ...error }: Answer & FakeResponse): Response {
  const content = body ?? (status >= 400 ? errorBody(status, error) : undefined);
  const text = content === undefined || typeof content === 'string' ? content : exactJson(content);
  return new Response(emptyStatuses.includes(status) ? null : (text ?? null), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** The body of an error. By default it has the service's code for the status. */
function errorBody(status: number, { code, message }: Pick<Answer, 'code' | 'message'>) {
  const [usual] = Object.entries<number>(service.statuses).find(([, own]) => own === status) ?? [];
  return {
    code: code ?? usual ?? 'internal_error',
    message: message ?? `The fake responds with ${status}.`,
    status,
  };
}

function disconnected(): TypeError {
  return new TypeError('fetch failed', { cause: new Error('the fake broke the connection') });
}

/** Waits. If the signal aborts, the wait ends and its timer is removed. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, Math.min(milliseconds, 2 ** 31 - 1));
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
