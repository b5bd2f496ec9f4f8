import type { Answer, CallOptions, Connection, WireRequest } from './connection.ts';
import { AbortedError, ConnectionError, TimeoutError } from './errors.ts';
import type { Draft, Wire } from './place.ts';
import { refusal } from './read.ts';
import { mayRetry, pause, retryOf } from './retry.ts';

/** What is known of a request beside its parts. */
type Sent = Pick<Wire, 'method' | 'authorize' | 'accept' | 'streams'> & { readonly id: string };

/**
 * One request to its end, however many attempts and however much waiting that takes. `draft` says what is sent, `done`
 * makes of the answer what the caller gets, or throws.
 */
export async function deliver<T>(
  connection: Connection,
  { id, method, authorize, accept = 'application/json', streams }: Sent,
  draft: () => Draft,
  done: (response: Answer, text: () => Promise<string>) => T | Promise<T>,
  options: CallOptions = {},
  stop?: AbortSignal,
): Promise<T> {
  const { on, transport, baseUrl } = connection;
  const retry = retryOf(options.retry, connection.retry);
  const timeout = options.timeout ?? connection.timeout;
  const caller = stop && options.signal ? AbortSignal.any([stop, options.signal]) : (stop ?? options.signal);
  // One signal for the transport; its reason is the error that the call ends with.
  const end = new AbortController();
  const { signal } = end;
  const abort = () => end.abort(new AbortedError(`${id} was aborted`, { cause: caller?.reason }));
  const deadline = setTimeout(() => end.abort(new TimeoutError(`${id} was not done within ${timeout} ms`)), timeout);
  let waiting: ReturnType<typeof setTimeout> | undefined;
  caller?.addEventListener('abort', abort);
  try {
    if (caller?.aborted) abort();
    const drafted = draft();
    for (let attempt = 0; ; attempt++) {
      signal.throwIfAborted();
      try {
        const authorized: Draft = {
          ...drafted,
          headers: { accept, ...connection.headers, ...drafted.headers, ...options.headers },
        };
        await authorize?.(authorized, connection, id);
        const request: WireRequest = { ...authorized, method, signal };
        on.request?.(request, attempt);
        const unreachable = (cause: unknown): never => {
          signal.throwIfAborted();
          throw new ConnectionError(`${baseUrl} could not be reached`, { cause });
        };
        const response = await transport(request).catch(unreachable);
        const text = () => response.text().catch(unreachable);
        on.response?.(response, request);
        if (response.status < 200 || response.status > 299) throw refusal(response, await text());
        return await done(response, text);
      } catch (error) {
        if (drafted.duplex || signal.aborted || attempt >= retry.limit || !mayRetry(method, error)) throw error;
        const wait = pause(retry, attempt, error);
        on.retry?.(error as Error, attempt + 1, wait);
        await new Promise((resolve) => {
          waiting = setTimeout(resolve, signal.aborted ? 0 : wait);
          signal.onabort = resolve;
        });
      }
    }
  } catch (error) {
    if (!stop?.aborted) on.error?.(error as Error);
    throw error;
  } finally {
    clearTimeout(deadline);
    clearTimeout(waiting);
    if (!streams) caller?.removeEventListener('abort', abort);
  }
}
