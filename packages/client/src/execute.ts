import { attemptOnce } from './attempt.ts';
import type { Success } from './call.ts';
import { AbortedError, BaseError, type CallError, ConnectionError, PetstoreError, TimeoutError } from './errors.ts';
import { guarded, reportDeprecated } from './hooks.ts';
import { type CallOptions, limitsFrom } from './options.ts';
import type { Operation, PreparedRequest, Wire } from './request.ts';

/** Sends a request until the service responds with success, no further attempt may help, or the time is up. */
export async function execute(
  operation: Operation,
  request: PreparedRequest,
  options: CallOptions,
): Promise<Success<unknown>> {
  const { id, wire, settings } = operation;
  const { timeout, limit, base, cap } = limitsFrom(settings, options);
  const deadline = performance.now() + (timeout || Infinity);
  const ending = endOf(id, timeout, options.signal);
  reportDeprecated(operation);
  try {
    for (let attempt = 1, delay = 0; ; attempt++) {
      try {
        if (attempt > 1) await Promise.race([ending.reached, ending.pause(delay)]);
        return await Promise.race([ending.reached, attemptOnce(operation, request, ending)]);
      } catch (error) {
        if (!(error instanceof BaseError)) throw error;
        error.attempts = ending.attempts;
        delay = retryAfter(error) ?? Math.min(cap, Math.random() * base * 2 ** (attempt - 1));
        const isInTime = delay <= cap && performance.now() + delay < deadline;
        if (attempt > limit || !isInTime || !mayRetry(wire, error)) throw error;
        const event = { operation: id, attempt, error: error as CallError, delay };
        guarded(() => settings.on.retry?.(event));
      }
    }
  } finally {
    ending.release();
  }
}

/** Ends a call at its deadline, or when its caller aborts. `reached` rejects then, even if `fetch` ignores the signal. */
function endOf(id: string, timeout: number, caller: AbortSignal | undefined) {
  const controller = new AbortController();
  const { promise: reached, reject } = Promise.withResolvers<never>();
  // The call may end before anything waits for this.
  reached.catch(() => {});
  const end = (error: BaseError) => {
    reject(error);
    controller.abort(error);
  };
  const timers: ReturnType<typeof setTimeout>[] = [];
  const after = (milliseconds: number, run: () => void) => {
    // A longer timer would fire at once.
    timers.push(setTimeout(run, Math.min(milliseconds, 2 ** 31 - 1)));
  };
  const onAbort = () => end(new AbortedError(`${id} was aborted`, { cause: caller?.reason }));
  if (caller?.aborted) onAbort();
  caller?.addEventListener('abort', onAbort);
  if (timeout) after(timeout, () => end(new TimeoutError(`${id} took longer than the timeout of ${timeout} ms`)));
  return {
    signal: controller.signal,
    attempts: 0,
    reached,
    pause: (milliseconds: number) => new Promise<void>((resolve) => after(milliseconds, resolve)),
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
  return code === 'request_in_flight' || [408, 429].includes(status) || (status >= 500 && status !== 501);
}

/** The milliseconds that the service asks to wait, in seconds or as a date (RFC 9110). */
function retryAfter(error: BaseError): number | undefined {
  const text = error instanceof PetstoreError ? (error.headers.get('retry-after') ?? '') : '';
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return milliseconds >= 0 ? milliseconds : undefined;
}
