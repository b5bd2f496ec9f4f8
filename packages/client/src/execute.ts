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
import { BaseError } from './errors.ts';
import { parseResponse } from './parse-response.ts';
import { mayRetrySafe } from './retry.ts';

/** The arguments of a call. */
export interface Arguments {
  readonly input: object | undefined;
  readonly options: CallOptions | undefined;
  /** Replaces the URL that was built from the inputs, for example with that of the next page. */
  readonly url?: (from: string) => string;
}

/** The data of a success, and the response that it came in. */
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
  const { on } = connection;
  const caller = options?.signal;
  const start = performance.now();
  let limits: Limits = connection;
  let draft: RequestDraft | undefined;
  let attempts = 0;
  for (let tries = 1; ; tries++) {
    const left = () => start + (limits.timeout || Infinity) - performance.now();
    try {
      if (options) limits = limitsFrom(options, connection);
      const built = draft ?? buildRequest(wire, connection, input, options, url);
      draft = built;
      return await within(Math.min(left(), limits.attemptTimeout || Infinity), id, caller, async (signal) => {
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
        const response = await follow(connection, request);
        const data = (await parseResponse(response, wire)) as Result<Id>;
        connection.check?.(id, data);
        return { data, response };
      });
    } catch (reason) {
      const error = caller?.aborted
        ? new BaseError('AbortedError', `${id} was aborted`, { cause: caller.reason })
        : (reason as Error);
      const after = `${Object(error).headers?.get('retry-after')}`;
      // In seconds, or a date (RFC 9110).
      const requested = /^\d/.test(after) ? +after * 1000 : Date.parse(after) - Date.now();
      const delay = requested >= 0 ? requested : Math.min(limits.cap, Math.random() * limits.base * 2 ** (tries - 1));
      // A stream can be sent only once. Timers may be up to a millisecond early.
      if (draft?.duplex || tries > limits.limit || delay > limits.cap || delay + 1 > left() || !mayRetry(error)) {
        if (error instanceof BaseError) error.attempts = attempts;
        on.error?.(error);
        throw error;
      }
      on.retry?.(error, tries, delay);
      await within(delay, id, caller).catch(() => {});
    }
  }
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
function within<T>(
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
      // Timers hold 31 bits; one that is set to more ends at once.
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
async function follow({ transport, baseUrl }: Connection, request: HttpRequest): Promise<HttpResponse> {
  try {
    for (let sent = request, left = 5; ; left--) {
      const response = await transport(sent);
      const location = left && /^(GET|HEAD)3/.test(sent.method + response.status) && response.headers.get('location');
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
