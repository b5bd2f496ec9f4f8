import type { OperationId, Result } from '@petstore/types';
import { buildRequest, type RequestDraft, type Wire } from './build-request.ts';
import {
  type CallOptions,
  type Connection,
  type HttpRequest,
  type HttpResponse,
  type Limits,
  limitsFrom,
} from './connection.ts';
import { BaseError, type PetstoreError } from './errors.ts';
import { parseResponse } from './parse-response.ts';

/** The arguments of a call. */
export interface Arguments {
  readonly input: object | undefined;
  readonly options: CallOptions | undefined;
  /** Replaces the URL that was built from the inputs, for example by that of the next page. */
  readonly url?: (built: string) => string;
}

/** The data of a success, and the response that contained it. */
export interface DataAndResponse<Data> {
  readonly data: Data;
  /** Its `text()` can still be called, unless the data is a stream. */
  readonly response: HttpResponse;
}

/** Builds a request, authorizes it, sends it with retries until the deadline, and parses the response. */
export async function execute<Id extends OperationId>(
  connection: Connection,
  wire: Wire<Id>,
  { input, options, url }: Arguments,
): Promise<DataAndResponse<Result<Id>>> {
  const { id, method, authorize, accept = 'application/json', mayRetry = mayRetrySafe } = wire;
  const caller = options?.signal;
  const start = performance.now();
  let limits: Limits = connection;
  let draft: RequestDraft | undefined;
  let attempts = 0;
  for (let tries = 1; ; tries++) {
    const timeLeft = () => start + (limits.timeout || Infinity) - performance.now();
    try {
      if (options) limits = limitsFrom(options, connection);
      const built = draft ?? buildRequest(wire, connection, input, options, url);
      draft = built;
      return await withTimeout(Math.min(timeLeft(), limits.attemptTimeout || Infinity), id, caller, async (signal) => {
        const request = {
          ...built,
          headers: { ...built.headers },
          method,
          redirect: 'manual' as const,
          operation: id,
          signal,
          attempt: attempts,
        };
        await authorize?.(request, connection, id);
        request.headers = mergeHeaders({ accept }, connection.headers, options?.headers, request.headers);
        if (signal.aborted) throw signal.reason;
        attempts++;
        const response = await sendRequest(connection, request);
        const data = (await parseResponse(response, wire)) as Result<Id>;
        connection.check?.(id, data);
        return { data, response };
      });
    } catch (reason) {
      const error = caller?.aborted
        ? new BaseError('AbortedError', `${id} was aborted`, { cause: caller.reason })
        : (reason as Error);
      const retryAfter = `${Object(error).headers?.get('retry-after')}`;
      // In seconds, or a date (RFC 9110).
      const requested = /^\d/.test(retryAfter) ? +retryAfter * 1000 : Date.parse(retryAfter) - Date.now();
      const delay = requested >= 0 ? requested : Math.min(limits.cap, Math.random() * limits.base * 2 ** (tries - 1));
      // A stream can be sent only once. Timers may be up to a millisecond early.
      if (draft?.duplex || tries > limits.limit || delay > limits.cap || delay + 1 > timeLeft() || !mayRetry(error)) {
        if (error instanceof BaseError) error.attempts = attempts;
        connection.on.error?.(error);
        throw error;
      }
      connection.on.retry?.(error, tries, delay);
      await withTimeout(delay, id, caller).catch(() => {});
    }
  }
}

/** Whether to retry after an error, because the retry may succeed and executes nothing twice. */
export function mayRetry(method: string, error: Error): boolean {
  return mayRetryUnsafe(error) || (/^(GET|HEAD|PUT|DELETE)$/.test(method) && mayRetrySafe(error));
}

/** Whether a request that is safe to repeat may succeed after this error. */
export function mayRetrySafe(error: Error): boolean {
  // A function of the caller can throw anything.
  const { name, status, code } = Object(error) as Partial<PetstoreError>;
  return /Connection|Timeout|in_flight|408|429|5..$/.test(`${name}${code}${status}`);
}

/** Whether a request that is not safe to repeat may be sent again after this error: the service has not executed it. */
export function mayRetryUnsafe(error: Error): boolean {
  const { code, cause } = Object(error) as Partial<PetstoreError> & { cause?: Cause };
  return (
    // With these codes the service promises that it executed nothing, or that an earlier attempt is in progress; or no
    // connection was made, so nothing has arrived. fetch wraps the system's error in a cause of its own.
    /rate_limited|unavailable|in_flight|REFUSED|NOTFOUND|EAI_AGAIN|UNREACH|CONNECT_TIMEOUT/.test(
      `${code} ${cause?.code} ${cause?.cause?.code}`,
    )
  );
}

interface Cause {
  readonly code?: string;
  readonly cause?: { readonly code?: string };
}

/** One object of headers with names in lower case; the last header of a name wins. */
function mergeHeaders(...sources: CallOptions['headers'][]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const source of sources) {
    for (const name in source) {
      const value = source[name];
      if (value === undefined) continue;
      if (!/^[\w!#-'*+.^`|~-]+:[\t -~\x80-\xff]*$/.test(`${name}:${value}`))
        // The value may be a secret.
        throw new TypeError(`invalid header ${name}`);
      headers[name.toLowerCase()] = value;
    }
  }
  return headers;
}

/** Runs a task. Rejects when the time is up or the caller aborts, even if the task ignores its signal. */
function withTimeout<T>(
  milliseconds: number,
  id: string,
  caller: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T> = () => new Promise(() => {}),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = new AbortController();
    // Listeners on the caller's own signal would accumulate.
    const signal = caller ? AbortSignal.any([timer.signal, caller]) : timer.signal;
    const fail = (reason: unknown) => {
      clearTimeout(handle);
      timer.abort(reason);
      reject(reason);
    };
    const handle = setTimeout(
      () => fail(new BaseError('TimeoutError', `${id} timed out`)),
      // Timers hold 31 bits; a longer one fires at once.
      Math.max(0, Math.min(milliseconds, 2e9)),
    );
    if (caller) signal.onabort = () => fail(signal.reason);
    if (signal.aborted) fail(signal.reason);
    else
      run(signal).then((value) => {
        clearTimeout(handle);
        resolve(value);
      }, fail);
  });
}

/** Sends a request and follows redirects, only of safe methods and only within the origin. */
async function sendRequest({ transport, baseUrl }: Connection, request: HttpRequest): Promise<HttpResponse> {
  try {
    for (let sent = request, redirects = 5; ; redirects--) {
      const response = await transport(sent);
      const location =
        redirects && /^(GET|HEAD)3/.test(sent.method + response.status) && response.headers.get('location');
      if (!location) return response;
      const { href, origin } = new URL(location, sent.url);
      if (!sent.url.startsWith(`${origin}/`)) return response;
      await response.body?.cancel();
      sent = { ...sent, url: href };
    }
  } catch (cause) {
    throw new BaseError('ConnectionError', `${baseUrl} could not be reached`, { cause });
  }
}
