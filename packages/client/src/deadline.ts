import { AbortedError, type PetstoreError, TimeoutError } from './errors.ts';
import { nameOf } from './network-error.ts';

/** Ends one call with all its attempts: after a time, or when one of its signals aborts. */
export class Deadline {
  /** The number of attempts that have sent a request. The error that ends the call has it, too. */
  attempts = 0;
  readonly #controller = new AbortController();
  /** Aborts when the call ends before its result. Its reason is the error of the call. */
  readonly signal: AbortSignal = this.#controller.signal;
  readonly #time: number;
  /** Each removes a timer or a listener. */
  readonly #cleanups: (() => void)[] = [];
  #rejectCall: (error: PetstoreError) => void = () => {};

  /** `timeout` is in milliseconds; 0 is no limit. */
  constructor(id: string, timeout: number, signals: readonly (AbortSignal | undefined)[]) {
    this.#time = performance.now() + (timeout || Infinity);
    if (timeout > 0) {
      const message = `${id} took longer than the timeout of ${timeout} ms`;
      this.#after(timeout, () => this.#end(new TimeoutError(message)));
    }
    for (const signal of signals) {
      if (signal) this.#endWith(signal, id);
    }
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

  /** Waits. Rejects when the call ends before. */
  wait(milliseconds: number): Promise<void> {
    return this.race(new Promise((resolve) => this.#after(milliseconds, resolve)));
  }

  /** Leaves no timer and no listener behind. */
  release(): void {
    for (const cleanUp of this.#cleanups) cleanUp();
  }

  /** Without a time it needs no timer, so that tests with timers of their own do not hang. */
  #after(milliseconds: number, run: () => void): void {
    if (milliseconds === 0) return run();
    // A longer timer would fire at once.
    const timer = setTimeout(run, Math.min(milliseconds, 2 ** 31 - 1));
    this.#cleanups.push(() => clearTimeout(timer));
  }

  #endWith(signal: AbortSignal, id: string): void {
    const onAbort = () => this.#end(abortError(id, signal.reason));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    this.#cleanups.push(() => signal.removeEventListener('abort', onAbort));
  }

  #end(error: PetstoreError): void {
    error.attempts = this.attempts;
    this.#rejectCall(error);
    this.#controller.abort(error);
  }
}

/** The reason of `AbortSignal.timeout()` is a `DOMException` with the name `TimeoutError`. */
function abortError(id: string, cause: unknown): TimeoutError | AbortedError {
  if (nameOf(cause) === 'TimeoutError')
    return new TimeoutError(`${id} took longer than its signal allows`, { cause });
  return new AbortedError(`${id} was aborted`, { cause });
}
