import { buildRequest, type RequestDraft, type Wire } from './build-request.ts';
import {
  type CallOptions,
  type Connection,
  type HttpRequest,
  type HttpResponse,
  type Limits,
  limitsFrom,
  type Retry,
} from './connection.ts';
import { BaseError, type Cause, type PetstoreError } from './errors.ts';
import type { OperationId, Result } from './old.ts';
import { parseResponse } from './parse-response.ts';

/** The arguments of a call. */
export interface CallArguments {
  readonly input: object | undefined;
  readonly options: CallOptions | undefined;
  /** Replaces the URL that was built from the inputs, for example by the URL of the next page. */
  readonly url?: (built: string) => string;
}

/** The data of a success, and the response that contained it. */
export interface DataAndResponse<Data> {
  readonly data: Data;
  /** The response's `text()` can still be called. */
  readonly response: HttpResponse;
}

/** Builds a request, authorizes it, sends it with retries until the deadline, and parses the response. */
export async function execute<Id extends OperationId>(
  connection: Connection,
  wire: Wire<Id>,
  { input, options, url }: CallArguments,
): Promise<DataAndResponse<Result<Id>>> {
  const { id, accept = 'application/json' } = wire;
  const callerSignal = options?.signal;
  const start = performance.now();
  let limits: Limits = connection;
  let draft: RequestDraft | undefined;
  // An attempt that fails before its request is sent is not counted, so there may be fewer requests than attempts.
  let requestCount = 0;
  const timeLeft = () => start + (limits.timeout || Infinity) - performance.now();
  // An AbortSignal keeps `sendOnce` until a full garbage collection, so `sendOnce` must not capture `url`, whose closure holds a page.
  const sendOnce = async (signal: AbortSignal) => {
    const request = {
      ...(draft as RequestDraft),
      headers: { ...(draft as RequestDraft).headers },
      redirect: 'manual' as const,
      method: wire.method,
      operation: id,
      signal,
      attempt: requestCount,
    };
    await wire.authorize?.(request, connection, id);
    request.headers = mergeHeaders({ accept }, connection.headers, options?.headers, request.headers);
    // The call may have ended while a function of the caller got the credential.
    signal.throwIfAborted();
    requestCount++;
    const response = await sendRequest(connection, request);
    const data = (await parseResponse(response, wire)) as Result<Id>;
    connection.check?.(id, data);
    return { data, response };
  };
  for (let attempt = 1; ; attempt++) {
    try {
      // Invalid options and inputs throw here, so `on.error` also gets these errors.
      if (options) limits = limitsFrom(options, connection);
      draft ??= buildRequest(wire, connection, input, options, url);
      return await withTimeout(Math.min(timeLeft(), limits.attemptTimeout || Infinity), id, callerSignal, sendOnce);
    } catch (reason) {
      const error = callerSignal?.aborted
        ? new BaseError('AbortedError', `${id} aborted`, { cause: callerSignal.reason })
        : (reason as Error);
      const delay = retryDelay(error, attempt, limits);
      // The deadline's timer may fire 1 ms early, and then no further attempt may start.
      if (
        !(wire.mayRetry ?? mayRetryIdempotent)(error) ||
        delay + 1 > timeLeft() ||
        delay > limits.cap ||
        attempt > limits.limit
      ) {
        if (error instanceof BaseError) error.attempts = requestCount;
        connection.on.error?.(error);
        throw error;
      }
      connection.on.retry?.(error, attempt, delay);
      // The task never ends, so this rejects when the delay is over or the caller aborts. The next attempt reports the abort.
      await withTimeout(delay, id, callerSignal, () => new Promise(() => {})).catch(() => {});
    }
  }
}

/** Whether a request with this method may be retried: a retry may succeed, and the request has no second effect. */
export function mayRetry(method: string, error: Error): boolean {
  return mayRetryNonIdempotent(error) || (/^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(method) && mayRetryIdempotent(error));
}

/** Whether an idempotent request may be retried after this error: a retry may succeed. */
export function mayRetryIdempotent(error: Error): boolean {
  // A function of the caller can throw any value, also one that is not an object.
  const { name, status, code } = Object(error) as Partial<PetstoreError>;
  // The alternatives are for the start of the name, a part of the code, and the status.
  return /^(Connection|Timeout)|in_flight|(408|429|5..)$/.test(`${name}${code}${status}`);
}

/** Whether a non-idempotent request may be retried after this error: the service did not execute this attempt. */
export function mayRetryNonIdempotent(error: Error): boolean {
  const { code, cause } = Object(error) as Partial<PetstoreError> & { cause?: Cause };
  // Either the service rejected this attempt (in_flight: because an earlier attempt is in progress), or no connection
  // was made, so the request did not arrive. fetch wraps the system's error in another cause, so both causes are read.
  const codes = `${code} ${cause?.code} ${cause?.cause?.code}`;
  return /rate_limited|unavailable|in_flight|REFUSED|NOTFOUND|EAI_AGAIN|UNREACH|CONNECT_TIMEOUT/.test(codes);
}

/** The milliseconds until the next attempt: those in Retry-After, or else random ones. */
function retryDelay(error: Error, attempt: number, { base, cap }: Retry): number {
  // A function of the caller can throw an error whose headers have no `get`.
  const retryAfter: string = Object(error).headers?.get?.('retry-after');
  // Retry-After is a number of seconds or a date (RFC 9110).
  const requested = /^\d/.test(retryAfter) ? +retryAfter * 1000 : Date.parse(retryAfter) - Date.now();
  // A random delay is up to `base` at first, up to twice as much each further time, and at most `cap`.
  return requested >= 0 ? requested : Math.min(cap, (Math.random() * base * 2 ** attempt) / 2);
}

/**
 * Merges headers into one object with names in lower case. If a name occurs several times, the last value wins. Throws for an
 * invalid header.
 */
export function mergeHeaders(...sources: CallOptions['headers'][]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const source of sources) {
    for (const name in source) {
      const value = source[name];
      if (value == null) continue;
      if (!/^[\w!#-'*+.^`|~-]+:[\t -~\x80-\xff]*$/.test(`${name}:${value}`))
        // The message omits the value, because the value may be a secret.
        throw new TypeError(`invalid header ${name}`);
      headers[name.toLowerCase()] = value;
    }
  }
  return headers;
}

/** Runs a task. Rejects when the time is up or the caller aborts, even if the task ignores its signal. */
async function withTimeout<T>(
  milliseconds: number,
  id: string,
  callerSignal: AbortSignal | undefined,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  // The task may leave listeners on its signal, so it gets a derived one, not the caller's, which may live longer.
  const signal = callerSignal ? AbortSignal.any([controller.signal, callerSignal]) : controller.signal;
  signal.throwIfAborted();
  let timer!: ReturnType<typeof setTimeout>;
  let onAbort!: () => void;
  try {
    return await new Promise((resolve, reject) => {
      onAbort = () => reject(signal.reason);
      timer = setTimeout(
        () => reject(new BaseError('TimeoutError', `${id} timed out`)),
        // A timer holds 31 bits of milliseconds, and fires at once if the time is longer.
        Math.min(2e9, Math.max(0, milliseconds)),
      );
      // Not `onabort`: a transport may set that.
      if (callerSignal) signal.addEventListener('abort', onAbort);
      // `resolve` is passed as it is, so that the stacks of errors contain the caller.
      task(signal).then(resolve, reject);
    });
  } catch (error) {
    controller.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    // As long as the caller's signal exists, Node keeps a derived signal that has a listener, and all that the listener reaches.
    signal.removeEventListener('abort', onAbort);
  }
}

/** Sends a request. Follows at most 5 redirects, only of GET and HEAD, and only within the origin. */
async function sendRequest({ transport, baseUrl }: Connection, request: HttpRequest): Promise<HttpResponse> {
  try {
    for (let current = request, redirects = 5; ; redirects--) {
      const { method, url } = current;
      const response = await transport(current);
      // The text is for example GET302.
      const location = redirects && /^(GET|HEAD)3/.test(method + response.status) && response.headers.get('location');
      const target = location && URL.canParse(location, url) ? new URL(location, url).href : undefined;
      // A URL with a user name or `blob:` has the same `origin`, but fetch rejects it.
      if (!target?.startsWith(new URL('/', url).href)) return response;
      await response.body?.cancel();
      current = { ...current, url: target };
    }
  } catch (cause) {
    throw new BaseError('ConnectionError', `${baseUrl} could not be reached`, { cause });
  }
}
