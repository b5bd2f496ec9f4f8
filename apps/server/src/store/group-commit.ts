import { StoreUnavailableError } from './errors.ts';
import type { Commit } from './store.ts';

/** A write that waits for its commit. */
interface Waiting<W, R> {
  write: W;
  bytes: number;
  resolve(result: R): void;
  reject(error: unknown): void;
}

interface GroupCommitOptions<W> {
  /** The keys of a write. Writes with a common key are in different commits, in order. */
  keysOf?(write: W): readonly unknown[];
  /** Whether a single write caused the error of a commit. Each write is then committed alone. */
  isRejection?(error: unknown): boolean;
}

/** The limits of a commit. A larger commit would block the event loop for too long. */
const MAX_COMMIT = { writes: 1000, bytes: 2 ** 20 };
/** A commit waits for this share of the last writers, for a limited time. */
const GATHERED_SHARE = 0.75;
const MAX_GATHER_MS = 2;
/** The limits of waiting writes, which accumulate if the disk or the database does not respond. */
const MAX_WAITING = { writes: 20_000, bytes: 2 ** 26 };

/**
 * Group commit: all writes that arrive during a commit share the next commit, so many writes cost one sync or one round trip.
 * `commit` makes writes durable and returns their results in order. If `commit` rejects, its writes reject, too.
 */
export class GroupCommit<W, R> {
  readonly #commit: (writes: W[]) => Promise<R[]>;
  readonly #onCommit: (commit: Commit) => void;
  readonly #options: GroupCommitOptions<W>;
  #waiting: Waiting<W, R>[] = [];
  #bytes = 0;
  /** The number of writes in the last commit, plus the writes that waited when it ended. */
  #writers = 0;
  #running: Promise<void> | undefined;
  /** Called for each new write while a commit waits for further writes. */
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

  /** Adds a write of approximately `bytes` to the next commit. */
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

  /** Rejects new writes. Resolves when the waiting writes are committed. */
  async close(): Promise<void> {
    this.#abortError ??= new StoreUnavailableError('The store is closed.');
    await this.#running;
  }

  /** Rejects new and waiting writes. */
  abort(error: StoreUnavailableError): void {
    this.#abortError = error;
    this.#bytes = 0;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  async #run(): Promise<void> {
    do {
      // All writes of this turn of the event loop share a commit.
      await new Promise((resolve) => setImmediate(resolve));
      const expected = GATHERED_SHARE * this.#writers;
      if (this.#waiting.length < expected) await this.#gather(expected);
      if (this.#waiting.length > 0) await this.#commitBatch(this.#nextBatch());
    } while (this.#waiting.length > 0);
    this.#running = undefined;
  }

  /**
   * Waits for a number of writes, up to MAX_GATHER_MS. The writers of the last commit usually write again soon, so waiting for
   * most of these writers saves syncs. The other writers work during the commit. A single writer never waits.
   */
  #gather(expected: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#onWrite = undefined;
        clearTimeout(timer);
        setImmediate(resolve);
      };
      const timer = setTimeout(done, MAX_GATHER_MS);
      this.#onWrite = () => {
        if (this.#waiting.length >= expected) done();
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
      const keysOfWrite = keysOf?.(waiting.write);
      if (keysOfWrite?.some((key) => keys.has(key))) {
        later.push(waiting);
        continue;
      }
      if (keysOfWrite) for (const key of keysOfWrite) keys.add(key);
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
        for (const waiting of batch) await this.#commitBatch([waiting]);
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
