import type { RequestDraft, Wire } from './build-request.ts';
import type { CallOptions, Connection, HttpRequest, HttpResponse } from './connection.ts';
import { BaseError } from './errors.ts';
import { mayRetry, retryDelay, retryFrom } from './retry.ts';

const MAX_REDIRECTS = 5;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What is known of a request before its inputs. */
type Endpoint = Pick<Wire, 'method' | 'authorize' | 'accept'> & { readonly id: string };

/** Sends a request, again where that may help, until it succeeds or time is up. */
export async function execute<T>(
  connection: Connection,
  { id, method, authorize, accept = 'application/json' }: Endpoint,
  build: () => RequestDraft,
  parse: (response: HttpResponse) => Promise<T>,
  options: CallOptions = {},
): Promise<T> {
  const { on } = connection;
  const { signal: caller, timeout = connection.timeout, attemptTimeout = connection.attemptTimeout } = options;
  let attempts = 0;
  try {
    const deadline = performance.now() + (timeout || Infinity);
    const draft = build();
    while (true) {
      try {
        const left = deadline - performance.now();
        return await within(Math.min(left, attemptTimeout || Infinity), id, caller, async (signal) => {
          const request = {
            ...draft,
            headers: { ...draft.headers },
            method,
            redirect: 'manual' as const,
            signal,
            attempt: attempts,
          };
          await authorize?.(request, connection, id);
          request.headers = mergeHeaders([{ accept }, connection.headers, options.headers, request.headers]);
          signal.throwIfAborted();
          attempts++;
          return await parse(await follow(connection, request));
        });
      } catch (error) {
        const retry = retryFrom(options.retry, connection.retry);
        const delay = retryDelay(retry, attempts, error);
        // A stream can be sent only once. Timers may be up to a millisecond early.
        if (
          draft.duplex ||
          attempts > retry.limit ||
          delay > retry.cap ||
          performance.now() + delay + 1 > deadline ||
          !mayRetry(method, error, draft.isRepeatable)
        )
          throw error;
        on.retry?.(error as Error, attempts, delay);
        await within(delay, id, caller, () => new Promise(() => {})).catch(() => caller?.throwIfAborted());
      }
    }
  } catch (reason) {
    const error = caller?.aborted
      ? new BaseError('AbortedError', `${id} was aborted`, { cause: caller.reason })
      : reason;
    if (error instanceof BaseError) error.attempts = attempts;
    on.error?.(error as Error);
    throw error;
  }
}

/** Headers by names in lower case, so that the last one of a name counts. */
function mergeHeaders(sources: CallOptions['headers'][]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const source of sources) {
    for (const name in source) {
      const value = source[name] ?? '';
      if (!/^[\w!#$%&'*+.^`|~-]+:[\t -~\x80-\xff]*$/.test(`${name}:${value}`))
        // The value may be a secret.
        throw new TypeError(`the header ${name} cannot be sent`);
      headers[name.toLowerCase()] = value;
    }
  }
  return headers;
}

/** Runs a task, and rejects when time is up or a signal aborts, whatever the task waits for. */
function within<T>(
  milliseconds: number,
  id: string,
  caller: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = new AbortController();
    // Listeners on the caller's own signal would add up.
    const signal = caller ? AbortSignal.any([timer.signal, caller]) : timer.signal;
    const fail = (reason: unknown) => {
      clearTimeout(handle);
      reject(reason);
    };
    const handle = setTimeout(
      () => {
        const error = new BaseError('TimeoutError', `${id} was not done in time`);
        timer.abort(error);
        reject(error);
      },
      Math.max(0, Math.min(milliseconds, MAX_TIMER_MS)),
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

/** Sends a request, and again to where it is redirected: only where it is safe, and within the origin. */
async function follow({ transport, baseUrl }: Connection, request: HttpRequest): Promise<HttpResponse> {
  try {
    for (let redirects = 0, { url } = request; ; redirects++) {
      const response = await transport(redirects ? { ...request, url } : request);
      const location = response.headers.get('location');
      if (
        !location ||
        !/^3/.test(`${response.status}`) ||
        !/^(GET|HEAD)$/.test(request.method) ||
        redirects === MAX_REDIRECTS
      )
        return response;
      const { href, origin } = new URL(location, url);
      if (!url.startsWith(`${origin}/`)) return response;
      await response.body?.cancel();
      url = href;
    }
  } catch (cause) {
    throw new BaseError('ConnectionError', `${baseUrl} could not be reached`, { cause });
  }
}
