import { StoreUnavailableError } from './errors.ts';
import type { Commit } from './store.ts';

/** One write that waits for its commit. */
interface Waiting<W, R> {
  write: W;
  bytes: number;
  resolve(result: R): void;
  reject(error: unknown): void;
}

export interface GroupCommitOptions<W> {
  /** Writes that have one of these keys in common never share a commit: the later one is in a later commit. */
  keysOf?(write: W): readonly unknown[];
  /** Whether the commit was rejected because of a write in it. Each is then committed alone, and fails alone. */
  isRejection?(error: unknown): boolean;
}

/** A commit takes no further write beyond these: the event loop must not stop over a large one. */
const MAX_COMMIT = { writes: 1000, bytes: 2 ** 20 };
/** A commit waits for this part of those who wrote last, and no longer than that. */
const GATHERED_PART = 0.75;
const MAX_GATHER_MS = 2;
/** Writes beyond these are rejected: they pile up where the disk or the database has stopped answering. */
const MAX_WAITING = { writes: 20_000, bytes: 2 ** 26 };

/**
 * Group commit: all writes that arrive while a commit runs share the next one, so many writers pay for one sync or one
 * round trip. `commit` answers the result of each write, in order, once they are durable; if it rejects, so do all.
 */
export class GroupCommit<W, R> {
  readonly #commit: (writes: W[]) => Promise<R[]>;
  readonly #onCommit: (commit: Commit) => void;
  readonly #options: GroupCommitOptions<W>;
  #waiting: Waiting<W, R>[] = [];
  #bytes = 0;
  /** How many had a write in the last commit, or one waiting when it ended. */
  #writers = 0;
  #running: Promise<void> | undefined;
  /** Called with every write, while a commit waits for more of them. */
  #onWrite: (() => void) | undefined;
  #abortError: StoreUnavailableError | undefined;

  constructor(
    commit: (writes: W[]) => Promise<R[]>,
    onCommit: (commit: Commit) => void = () => {},
    options: GroupCommitOptions<W> = {},
  ) {
    this.#commit = commit;
    this.#onCommit = onCommit;
    this.#options = options;
  }

  /** Commits a write of about so many bytes together with others. */
  add(write: W, bytes: number): Promise<R> {
    if (this.#abortError) return Promise.reject(this.#abortError);
    const isFull = this.#waiting.length >= MAX_WAITING.writes || this.#bytes + bytes > MAX_WAITING.bytes;
    if (isFull && this.#waiting.length > 0)
      return Promise.reject(new StoreUnavailableError('Too many writes are waiting for the store.'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, bytes, resolve, reject });
      this.#bytes += bytes;
      this.#onWrite?.();
      this.#running ??= this.#run();
    });
  }

  /** Rejects all further writes. Resolves when those that wait are committed. */
  async close(): Promise<void> {
    this.#abortError ??= new StoreUnavailableError('The store is closed.');
    await this.#running;
  }

  /** Rejects all further writes, and those that wait. */
  abort(error: StoreUnavailableError): void {
    this.#abortError = error;
    this.#bytes = 0;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  async #run(): Promise<void> {
    do {
      // All that come in this turn of the event loop share a commit.
      await new Promise((resolve) => setImmediate(resolve));
      const enough = GATHERED_PART * this.#writers;
      if (this.#waiting.length < enough) await this.#gather(enough);
      if (this.#waiting.length > 0) await this.#commitBatch(this.#nextBatch());
    } while (this.#waiting.length > 0);
    this.#running = undefined;
  }

  /**
   * Waits for so many writes, but not for long. Those whose writes the last commit had come again soon: to wait for most of
   * them saves syncs. The others keep the processor busy while the disk works. One writer waits for nobody.
   */
  #gather(enough: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#onWrite = undefined;
        clearTimeout(timer);
        setImmediate(resolve);
      };
      const timer = setTimeout(done, MAX_GATHER_MS);
      this.#onWrite = () => {
        if (this.#waiting.length >= enough) done();
      };
    });
  }

  #nextBatch(): Waiting<W, R>[] {
    const batch: Waiting<W, R>[] = [];
    const later: Waiting<W, R>[] = [];
    const { keysOf } = this.#options;
    const keys = new Set<unknown>();
    let bytes = 0;
    for (const waiting of this.#waiting) {
      if (batch.length === MAX_COMMIT.writes || bytes >= MAX_COMMIT.bytes) break;
      const own = keysOf?.(waiting.write);
      if (own?.some((key) => keys.has(key))) {
        later.push(waiting);
        continue;
      }
      if (own) for (const key of own) keys.add(key);
      batch.push(waiting);
      bytes += waiting.bytes;
    }
    this.#bytes -= bytes;
    this.#waiting = [...later, ...this.#waiting.slice(batch.length + later.length)];
    return batch;
  }

  async #commitBatch(batch: readonly Waiting<W, R>[]): Promise<void> {
    const started = performance.now();
    let results: R[];
    try {
      results = await this.#commit(batch.map(({ write }) => write));
    } catch (error) {
      if (batch.length > 1 && this.#options.isRejection?.(error)) {
        for (const one of batch) await this.#commitBatch([one]);
      } else {
        for (const { reject } of batch) reject(error);
      }
      return;
    }
    this.#writers = batch.length + this.#waiting.length;
    batch.forEach(({ resolve }, i) => {
      resolve(results[i] as R);
    });
    this.#onCommit({ writes: batch.length, milliseconds: performance.now() - started });
  }
}
