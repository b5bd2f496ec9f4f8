// Notices when the store begins and stops to refuse requests. Without it, each refused request would log the same stack.
import { UnavailableError, UnknownOutcomeError } from './store/store.ts';

/** The store could not do what a request asked for. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof UnavailableError || error instanceof UnknownOutcomeError;
}

/** An outage begins with a refused operation, and ends when all operations that were refused have succeeded again. */
export class Outages {
  readonly #refused = new Set<string>();
  #count = 0;

  /** Notes a refused request. Whether the outage begins with it. */
  refused(operation: string): boolean {
    const isBegin = this.#refused.size === 0;
    if (isBegin) this.#count = 0;
    this.#refused.add(operation);
    this.#count++;
    return isBegin;
  }

  /** Notes a successful request. How many were refused, if the outage ends with it. */
  succeeded(operation: string): number | undefined {
    const isEnd = this.#refused.delete(operation) && this.#refused.size === 0;
    return isEnd ? this.#count : undefined;
  }

  /** Whether the store refuses requests. */
  get isOn(): boolean {
    return this.#refused.size > 0;
  }
}
