import { AbortedError, type PetstoreError, TimeoutError } from './errors.ts';
import { nameOf } from './network-error.ts';

/** Ends one call with all its attempts: after a time, or when one of its signals aborts. */
export class Deadline {
  /** The number of attempts that have sent a request. */
  attempts = 0;
  readonly #controller = new AbortController();
  /** Aborts when the deadline ends the call. The reason of the signal is the error of the call. */
  readonly signal: AbortSignal = this.#controller.signal;
  /** In milliseconds of `performance.now()`. */
  readonly #endsAt: number;
  /** Each removes a timer or a listener. */
  readonly #cleanups: (() => void)[] = [];
  #rejectCall: (error: PetstoreError) => void = () => {};

  /** `timeout` is in milliseconds; 0 means no limit. */
  constructor(id: string, timeout: number, signals: readonly (AbortSignal | undefined)[]) {
    this.#endsAt = performance.now() + (timeout || Infinity);
    if (timeout > 0) {
      const message = `${id} took longer than ${timeout} ms`;
      this.#after(timeout, () => this.#end(new TimeoutError(message)));
    }
    for (const signal of signals) {
      if (signal) this.#endWith(signal, id);
    }
  }

  /** Whether a wait of this length ends before the deadline. */
  allows(milliseconds: number): boolean {
    return performance.now() + milliseconds < this.#endsAt;
  }

  /** Settles like the promise. Rejects earlier if the deadline ends the call. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#rejectCall = reject;
      if (this.signal.aborted) reject(this.signal.reason);
      promise.then(resolve, reject);
    });
  }

  /** Waits. Rejects earlier if the deadline ends the call. */
  wait(milliseconds: number): Promise<void> {
    return this.race(new Promise((resolve) => this.#after(milliseconds, resolve)));
  }

  /** Removes all timers and listeners. */
  release(): void {
    for (const cleanUp of this.#cleanups) cleanUp();
  }

  /** Runs a function after a time; after 0, without a timer, so that fake timers do not stop it. */
  #after(milliseconds: number, run: () => void): void {
    if (milliseconds === 0) return run();
    // A timer of more than 31 bits would fire at once.
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
