import type { Answer, CallOptions, Connection, WireRequest } from './connection.ts';
import { AbortedError, ConnectionError, TimeoutError } from './errors.ts';
import type { Draft, Wire } from './place.ts';
import { refusal } from './read.ts';
import { mayRetry, pause, retryOf } from './retry.ts';

/** What is known of a request beside its parts. */
type Sent = Pick<Wire, 'method' | 'authorize' | 'accept'> & { readonly id: string };

/**
 * One request to its end, however many attempts and however much waiting that takes. `draft` says what is sent, `done`
 * makes of the answer what the caller gets, or throws.
 */
export async function deliver<T>(
  connection: Connection,
  { id, method, authorize, accept = 'application/json' }: Sent,
  draft: () => Draft,
  done: (response: Answer, text: () => Promise<string>) => T | Promise<T>,
  options: CallOptions = {},
  stop?: AbortSignal,
): Promise<T> {
  const { on, transport, baseUrl } = connection;
  const retry = retryOf(options.retry, connection.retry);
  const timeout = options.timeout ?? connection.timeout;
  const timer = new AbortController();
  const signals = [timer.signal, stop, options.signal].filter((one) => one !== undefined);
  // Listeners on the caller's signal would add up. A combined signal costs as much as a third of a call.
  const signal = signals[1] ? AbortSignal.any(signals) : timer.signal;
  const deadline = setTimeout(() => timer.abort(), timeout);
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const unreachable = (cause: unknown): never => {
    throw new ConnectionError(`${baseUrl} could not be reached`, { cause });
  };
  try {
    const drafted = draft();
    for (let attempt = 0; ; attempt++) {
      signal.throwIfAborted();
      try {
        const headers = { accept, ...connection.headers, ...drafted.headers, ...options.headers };
        const request = { ...drafted, headers, method, signal } satisfies WireRequest;
        await authorize?.(request, connection, id);
        on.request?.(request, attempt);
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
    const reason = timer.signal.aborted
      ? new TimeoutError(`${id} was not done within ${timeout} ms`)
      : signal.aborted
        ? new AbortedError(`${id} was aborted`, { cause: signal.reason })
        : (error as Error);
    if (!stop?.aborted) on.error?.(reason);
    throw reason;
  } finally {
    clearTimeout(deadline);
    clearTimeout(waiting);
  }
}
