import { attemptOnce } from './attempt.ts';
import type { Success } from './call.ts';
import {
  AbortedError,
  BaseError,
  type CallError,
  ConnectionError,
  PetstoreError,
  TimeoutError,
} from './errors.ts';
import { notify, reportDeprecated } from './hooks.ts';
import { type CallOptions, limitsFrom } from './options.ts';
import { type Operation, requestOf, type Wire } from './request.ts';

/** Sends a request until the service responds with success, no further attempt may help, or the time is up. */
export async function execute(
  operation: Operation,
  input: object,
  options: CallOptions,
): Promise<Success<unknown>> {
  const { id, wire, settings } = operation;
  const { timeout, limit, base, cap } = limitsFrom(settings, options);
  const request = requestOf(operation, input, options);
  const deadline = performance.now() + (timeout || Infinity);
  const ending = endOf(id, timeout, options.signal);
  reportDeprecated(operation);
  try {
    for (let attempt = 1, delay = 0; ; attempt++) {
      try {
        if (attempt > 1) await ending.race(new Promise((resolve) => ending.after(delay, resolve)));
        return await ending.race(attemptOnce(operation, request, ending));
      } catch (error) {
        if (!(error instanceof BaseError)) throw error;
        error.attempts = ending.attempts;
        delay = retryAfter(error) ?? Math.min(cap, Math.random() * base * 2 ** (attempt - 1));
        const isInTime = delay <= cap && performance.now() + delay < deadline;
        if (attempt > limit || !isInTime || !mayRetry(wire, error)) throw error;
        const event = { operation: id, attempt, error: error as CallError, delay };
        notify(settings.on.retry, () => event);
      }
    }
  } finally {
    ending.release();
  }
}

/** Ends a call at its deadline, or when its caller aborts. What `race` returns rejects then, even if it ignores the signal. */
function endOf(id: string, timeout: number, caller: AbortSignal | undefined) {
  const controller = new AbortController();
  const { signal } = controller;
  const timers: ReturnType<typeof setTimeout>[] = [];
  let rejectCall: (error: BaseError) => void = () => {};
  const end = (error: BaseError) => {
    rejectCall(error);
    controller.abort(error);
  };
  const after = (milliseconds: number, run: (value?: never) => void) => {
    // A longer timer would fire at once.
    timers.push(setTimeout(run, Math.min(milliseconds, 2 ** 31 - 1)));
  };
  const onAbort = () => end(new AbortedError(`${id} was aborted`, { cause: caller?.reason }));
  if (caller?.aborted) onAbort();
  caller?.addEventListener('abort', onAbort);
  if (timeout)
    after(timeout, () =>
      end(new TimeoutError(`${id} took longer than the timeout of ${timeout} ms`)),
    );
  return {
    signal,
    attempts: 0,
    after,
    race: <T>(promise: Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        rejectCall = reject;
        if (signal.aborted) reject(signal.reason);
        promise.then(resolve, reject);
      }),
    release: () => {
      timers.forEach(clearTimeout);
      caller?.removeEventListener('abort', onAbort);
    },
  };
}

/** Whether a retry may succeed and is safe, because the request can be repeated without a second effect. */
function mayRetry({ method, idempotencyKey }: Wire, error: BaseError): boolean {
  if (!idempotencyKey && !['GET', 'PUT', 'DELETE'].includes(method)) return false;
  if (!(error instanceof PetstoreError)) return error instanceof ConnectionError;
  const { status, code } = error;
  // The service executes another request with this key: probably an earlier attempt.
  return (
    code === 'request_in_flight' || [408, 429].includes(status) || (status >= 500 && status !== 501)
  );
}

/** The milliseconds that the service asks to wait, in seconds or as a date (RFC 9110). */
function retryAfter(error: BaseError): number | undefined {
  const text = error instanceof PetstoreError ? (error.headers.get('retry-after') ?? '') : '';
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return milliseconds >= 0 ? milliseconds : undefined;
}
