import { AbortedError, type PetstoreError, TimeoutError } from './errors.ts';
import { nameOf } from './network-error.ts';

/** The longest time of a timer. A longer one would fire at once. */
const MAX_TIMER = 2 ** 31 - 1;

/** Ends one call with all its attempts: after a time, or when the signal of its caller aborts. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timers: ReturnType<typeof setTimeout>[] = [];
  readonly #caller: AbortSignal | undefined;
  readonly #onAbort: () => void;
  readonly #time: number;
  #rejectCall: (error: PetstoreError) => void = () => {};

  /** `timeout` is in milliseconds; 0 is no limit. */
  constructor(id: string, timeout: number, caller: AbortSignal | undefined) {
    this.#time = timeout > 0 ? performance.now() + timeout : Infinity;
    if (timeout > 0) this.#after(timeout, () => this.#end(timeoutError(id, timeout)));
    this.#caller = caller;
    this.#onAbort = () => this.#end(abortError(id, caller?.reason));
    if (caller?.aborted) this.#onAbort();
    caller?.addEventListener('abort', this.#onAbort);
  }

  /** Aborts when the call ends before its result. Its reason is the error of the call. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether a wait ends before the call does. */
  allows(milliseconds: number): boolean {
    return performance.now() + milliseconds < this.#time;
  }

  /** The result of a promise. Rejects when the call ends, even if the promise does not. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#rejectCall = reject;
      if (this.signal.aborted) reject(this.signal.reason);
      promise.then(resolve, reject);
    });
  }

  /** Waits. Without a time it needs no timer, so that tests with timers of their own do not hang. */
  async wait(milliseconds: number): Promise<void> {
    if (milliseconds === 0) return this.signal.throwIfAborted();
    await this.race(new Promise<void>((resolve) => this.#after(milliseconds, resolve)));
  }

  /** Leaves no timer and no listener behind. */
  release(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#caller?.removeEventListener('abort', this.#onAbort);
  }

  #after(milliseconds: number, run: () => void): void {
    this.#timers.push(setTimeout(run, Math.min(milliseconds, MAX_TIMER)));
  }

  #end(error: PetstoreError): void {
    this.#rejectCall(error);
    this.#controller.abort(error);
  }
}

function timeoutError(id: string, timeout: number): TimeoutError {
  return new TimeoutError(`${id} took longer than the timeout of ${timeout} ms`);
}

/** The reason of `AbortSignal.timeout()` is a `DOMException` with the name `TimeoutError`. */
function abortError(id: string, cause: unknown): TimeoutError | AbortedError {
  if (nameOf(cause) === 'TimeoutError')
    return new TimeoutError(`${id} took longer than its signal allows`, { cause });
  return new AbortedError(`${id} was aborted`, { cause });
}
