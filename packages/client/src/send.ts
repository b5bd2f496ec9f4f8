import type { Input, OperationId, Result } from '@petstore/types';
import { type Call, callOf, type Exchange } from './call.ts';
import type { Answer, CallOptions, Connection, WireRequest } from './connection.ts';
import { tellDeprecation } from './deprecation.ts';
import { AbortedError, ConnectionError, TimeoutError } from './errors.ts';
import { place, type Wire } from './place.ts';
import { read } from './read.ts';
import { mayRetry, pause, retryOf } from './retry.ts';

/** Starts one operation. */
export function send<Id extends OperationId>(
  connection: Connection,
  wire: Wire<Id>,
  input: Input<Id> | undefined,
  options: CallOptions = {},
): Call<Id> {
  return callOf<Id>((page, stop) => exchange(connection, wire, input ?? {}, options, page, stop));
}

/** One operation to its end, however many attempts that takes. `page` is where another page of it is. */
async function exchange<Id extends OperationId>(
  connection: Connection,
  wire: Wire<Id>,
  input: object,
  options: CallOptions,
  page: string | undefined,
  stop: AbortSignal | undefined,
): Promise<Exchange<Result<Id>>> {
  const { on } = connection;
  const retry = retryOf(options.retry, connection.retry);
  const timeout = options.timeout ?? connection.timeout;
  const deadline = AbortSignal.timeout(timeout);
  const signal = AbortSignal.any([deadline, options.signal, stop].filter((one) => one !== undefined));
  const ended = () =>
    deadline.aborted && !options.signal?.aborted
      ? new TimeoutError(`${wire.id} was not done within ${timeout} ms`, { cause: signal.reason })
      : new AbortedError(`${wire.id} was aborted`, { cause: signal.reason });

  try {
    const { url, headers, body } = place(wire, input);
    const target = page === undefined ? connection.baseUrl + url : sameOrigin(page, connection.baseUrl + url);
    for (let attempt = 0; ; attempt++) {
      try {
        if (signal.aborted) throw ended();
        const request: WireRequest = {
          method: wire.method,
          url: target,
          headers: {
            accept: 'application/json',
            ...connection.headers,
            ...headers,
            ...options.headers,
            authorization: `Bearer ${await connection.apiKey()}`,
          },
          ...(body !== undefined && { body }),
          signal,
        };
        on.request?.(request, attempt);
        const { response, text } = await transmit(connection, request, ended);
        on.response?.(response, request);
        tellDeprecation(wire.id, wire.deprecated, response, on.deprecated);
        const data = read(response, text);
        connection.check?.(wire.id, data);
        return { data: data as Result<Id>, response };
      } catch (error) {
        if (!(error instanceof Error) || signal.aborted || attempt >= retry.limit || !mayRetry(wire.method, error))
          throw error;
        const wait = pause(retry, attempt, error);
        on.retry?.(error, attempt + 1, wait);
        await sleep(wait, signal, ended);
      }
    }
  } catch (error) {
    if (!stop?.aborted) on.error?.(error as Error);
    throw error;
  }
}

/** Where a link leads. The key goes only where the caller sent it. */
function sameOrigin(link: string, from: string): string {
  const url = new URL(link, from);
  if (url.origin !== new URL(from).origin)
    throw new ConnectionError(`the next page is said to be at ${url.origin}, another host`);
  return url.href;
}

/** Sends a request and reads the whole answer, or throws why that could not be done. */
async function transmit(
  { transport, baseUrl }: Connection,
  request: WireRequest,
  ended: () => Error,
): Promise<{ response: Answer; text: string }> {
  try {
    const response = await transport(request);
    return { response, text: await response.text() };
  } catch (cause) {
    if (request.signal.aborted) throw ended();
    throw new ConnectionError(`${baseUrl} could not be reached, or broke off`, { cause });
  }
}

function sleep(milliseconds: number, signal: AbortSignal, ended: () => Error): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(ended());
    const stop = () => {
      clearTimeout(timer);
      reject(ended());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', stop, { once: true });
  });
}
