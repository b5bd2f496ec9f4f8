import { UnavailableError } from './store.ts';

/** The bounds of all items of a queue that are not yet done. */
export const WAITING = { items: 20_000, size: 2 ** 26 };
/** A batch ends with the item that makes it this large. */
const BATCH_SIZE = 2 ** 22;

export interface BatchOptions {
  /** The number of batches that run at once. */
  readonly running: number;
  /** The largest number of items in a batch. */
  readonly items: number;
  /** A batch whose first item has waited for more milliseconds is rejected. Default: no limit. */
  readonly maxWait?: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly size: number;
  readonly since: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Collects items into batches: those of the same moment, and those that arrive while an earlier
 * batch runs. The items of a batch share one sync or one statement, which is most of their cost.
 */
export class BatchQueue<Item, Result> {
  readonly #run: (items: readonly Item[]) => Promise<(Result | Error)[]>;
  readonly #options: BatchOptions;
  #waiting: Waiting<Item, Result>[] = [];
  readonly #running = new Set<Promise<void>>();
  /** The number and the size of all items that are not yet done. */
  readonly #pending = { items: 0, size: 0 };
  #isStarting = false;

  /**
   * `run` resolves with the result of each item, or with an error that rejects only this item. If
   * `run` rejects, all items reject.
   */
  constructor(run: (items: readonly Item[]) => Promise<(Result | Error)[]>, options: BatchOptions) {
    this.#run = run;
    this.#options = options;
  }

  /** Resolves when the item is done. `size` is about the bytes of memory that it takes. */
  add(item: Item, size = 0): Promise<Result> {
    if (this.#pending.items >= WAITING.items || this.#pending.size > WAITING.size)
      throw new UnavailableError('Too many requests are waiting.');
    this.#pending.items += 1;
    this.#pending.size += size;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, size, since: performance.now(), resolve, reject });
    if (!this.#isStarting) {
      this.#isStarting = true;
      // Items of the same moment belong to the same batch.
      queueMicrotask(() => this.#start());
    }
    return promise;
  }

  /** Resolves when all items are done. */
  async finished(): Promise<void> {
    while (this.#pending.items > 0) await Promise.all(this.#running);
  }

  #start(): void {
    this.#isStarting = false;
    while (this.#waiting.length > 0 && this.#running.size < this.#options.running) {
      const running = this.#runBatch(this.#nextBatch()).then(() => {
        this.#running.delete(running);
        this.#start();
      });
      this.#running.add(running);
    }
  }

  #nextBatch(): Waiting<Item, Result>[] {
    let count = 0;
    let batchSize = 0;
    for (const { size } of this.#waiting) {
      if (count === this.#options.items || batchSize >= BATCH_SIZE) break;
      count += 1;
      batchSize += size;
    }
    return this.#waiting.splice(0, count);
  }

  #checkWait([first]: readonly Waiting<Item, Result>[]): void {
    const { maxWait = Number.POSITIVE_INFINITY } = this.#options;
    if (first && performance.now() - first.since > maxWait)
      throw new UnavailableError('Nothing was done (earlier requests got no answer in time).');
  }

  async #runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      this.#checkWait(batch);
      const results = await this.#run(batch.map(({ item }) => item));
      for (const [i, { resolve, reject }] of batch.entries()) {
        const result = results[i] as Result | Error;
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.#pending.items -= batch.length;
    for (const { size } of batch) this.#pending.size -= size;
  }
}
