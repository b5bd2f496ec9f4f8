import type { RequestDraft, Wire } from './build-request.ts';
import type { CallOptions, Connection, HttpRequest, HttpResponse, Transport } from './connection.ts';
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
    const retry = retryFrom(options.retry, connection.retry);
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
          const sources = [{ accept }, connection.headers, options.headers ?? {}, request.headers];
          request.headers = Object.fromEntries(sources.flatMap((source) => Object.entries(source)).map(headerFrom));
          signal.throwIfAborted();
          attempts++;
          const response = await follow(connection.transport, request, 0).catch((cause) => {
            throw new BaseError('ConnectionError', `${connection.baseUrl} could not be reached`, { cause });
          });
          return parse(response);
        });
      } catch (error) {
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

/** The header by its name in lower case, so that the last one of a name counts. */
function headerFrom([name, value]: [string, string]): [string, string] {
  if (/^[\w!#$%&'*+.^`|~-]+:[\t -~\x80-\xff]*$/.test(`${name}:${value}`)) return [name.toLowerCase(), value];
  // The value may be a secret.
  throw new TypeError(`the header ${name} cannot be sent`);
}

/** Runs a task, and rejects when time is up or a signal aborts, whatever the task waits for. */
function within<T>(
  milliseconds: number,
  id: string,
  caller: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timer = new AbortController();
  // Listeners on the caller's own signal would add up.
  const signal = caller ? AbortSignal.any([timer.signal, caller]) : timer.signal;
  const handle = setTimeout(
    () => timer.abort(new BaseError('TimeoutError', `${id} was not done in time`)),
    Math.max(0, Math.min(milliseconds, MAX_TIMER_MS)),
  );
  return new Promise<T>((resolve, reject) => {
    const end = () => reject(signal.reason);
    signal.onabort = end;
    if (signal.aborted) end();
    else run(signal).then(resolve, reject);
  }).finally(() => clearTimeout(handle));
}

/** Sends a request, and again to where it is redirected: only where it is safe, and within the origin. */
async function follow(transport: Transport, request: HttpRequest, redirects: number): Promise<HttpResponse> {
  const response = await transport(request);
  const location = response.headers.get('location');
  if (location && /^3/.test(`${response.status}`) && /^(GET|HEAD)$/.test(request.method) && redirects < MAX_REDIRECTS) {
    const { href, origin } = new URL(location, request.url);
    if (request.url.startsWith(`${origin}/`)) {
      await response.body?.cancel();
      return follow(transport, { ...request, url: href }, redirects + 1);
    }
  }
  return response;
}
