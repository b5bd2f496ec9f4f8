import { StoreUnavailableError } from './errors.ts';
import type { Commit } from './store.ts';

interface QueuedWrite<W, R> {
  write: W;
  bytes: number;
  since: number;
  resolve(result: R): void;
  reject(error: unknown): void;
}

interface GroupCommitOptions<W> {
  onCommit?: ((commit: Commit) => void) | undefined;
  /** The keys that a write locks. Two writes with a common key are never in one commit, and keep their order. */
  keysOf?(write: W): readonly unknown[];
  /** Whether one write may have caused the error of its commit. Then each write of the commit is committed separately. */
  isCausedByOneWrite?(error: unknown): boolean;
}

/** The write that reaches one of these limits is the last of its commit. A longer commit would block the event loop. */
const MAX_COMMIT = { writes: 1000, bytes: 2 ** 20 };
/** A commit waits for writes of this fraction of the estimated writers, for at most MAX_GATHER_MS. */
const GATHERED_SHARE = 0.75;
const MAX_GATHER_MS = 2;
/** The limits of the queue, which grows while the disk or the database does not respond, and of the time that a write waits in it. */
const MAX_QUEUED = { writes: 20_000, bytes: 2 ** 26 };
const MAX_QUEUED_MS = 30_000;

/**
 * Group commit: writes that arrive during a commit share the next commit, so many writes cost one sync or one round trip.
 * `commit` makes writes durable and returns their results in order. If `commit` rejects, its writes reject, too.
 */
export class GroupCommit<W, R> {
  readonly #commit: (writes: W[]) => Promise<R[]>;
  readonly #options: GroupCommitOptions<W>;
  #queue: QueuedWrite<W, R>[] = [];
  #queuedBytes = 0;
  /** The estimated number of concurrent writers: the writes in the last commit, plus the writes that were queued when it ended. */
  #writers = 0;
  #running: Promise<void> | undefined;
  /** Called for each queued write while a commit waits for more of them. */
  #onQueued: (() => void) | undefined;
  /** Set once new writes are rejected. */
  #closeError: StoreUnavailableError | undefined;
  #isAborted = false;

  constructor(commit: (writes: W[]) => Promise<R[]>, options: GroupCommitOptions<W> = {}) {
    this.#commit = commit;
    this.#options = options;
  }

  /** Queues a write of approximately `bytes` for the next commit. */
  add(write: W, bytes: number): Promise<R> {
    if (this.#closeError) return Promise.reject(this.#closeError);
    const isFull = this.#queue.length >= MAX_QUEUED.writes || this.#queuedBytes + bytes > MAX_QUEUED.bytes;
    // An empty queue accepts a write of any size.
    if (isFull && this.#queue.length > 0)
      return Promise.reject(new StoreUnavailableError('Too many writes are waiting for the store.'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ write, bytes, since: performance.now(), resolve, reject });
      this.#queuedBytes += bytes;
      this.#onQueued?.();
      this.#running ??= this.#run();
    });
  }

  /** Rejects new writes. Resolves when the queued writes are committed. */
  async close(): Promise<void> {
    this.#closeError ??= new StoreUnavailableError('The store is closed.');
    await this.#running;
  }

  /** Rejects new and queued writes, and the remaining writes of a commit that is repeated write by write. */
  abort(error: StoreUnavailableError): void {
    this.#isAborted = true;
    this.#closeError = error;
    this.#queuedBytes = 0;
    for (const { reject } of this.#queue.splice(0)) reject(error);
  }

  async #run(): Promise<void> {
    do {
      await afterThisTurn();
      const expected = GATHERED_SHARE * this.#writers;
      if (this.#queue.length < expected) await this.#gather(expected);
      this.#rejectOverdue();
      if (this.#queue.length > 0) await this.#commitBatch(this.#takeBatch());
    } while (this.#queue.length > 0);
    this.#running = undefined;
  }

  /**
   * Waits until `expected` writes are queued, for at most MAX_GATHER_MS. The writers of the last commit usually write again
   * soon, so waiting for most of them saves syncs. Writes that arrive later join the next commit.
   */
  async #gather(expected: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, MAX_GATHER_MS);
      this.#onQueued = () => {
        if (this.#queue.length < expected) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#onQueued = undefined;
    await afterThisTurn();
  }

  /** Rejects the writes that have waited too long, for a locked table, for example. */
  #rejectOverdue(): void {
    const oldest = performance.now() - MAX_QUEUED_MS;
    const inTime = this.#queue.findIndex(({ since }) => since >= oldest);
    for (const { bytes, reject } of this.#queue.splice(0, inTime < 0 ? this.#queue.length : inTime)) {
      this.#queuedBytes -= bytes;
      reject(new StoreUnavailableError('Earlier writes take too long. Retry later.'));
    }
  }

  /** Takes the writes of the next commit from the queue. */
  #takeBatch(): QueuedWrite<W, R>[] {
    const batch: QueuedWrite<W, R>[] = [];
    const deferred: QueuedWrite<W, R>[] = [];
    const { keysOf } = this.#options;
    const lockedKeys = new Set<unknown>();
    let bytes = 0;
    for (const queued of this.#queue) {
      if (batch.length === MAX_COMMIT.writes || bytes >= MAX_COMMIT.bytes) break;
      const keys = keysOf?.(queued.write) ?? [];
      const isDeferred = keys.some((key) => lockedKeys.has(key));
      // A deferred write locks its keys, too, so no later write with one of them overtakes it.
      for (const key of keys) lockedKeys.add(key);
      if (isDeferred) deferred.push(queued);
      else {
        batch.push(queued);
        bytes += queued.bytes;
      }
    }
    this.#queuedBytes -= bytes;
    // The loop examined the first batch.length + deferred.length writes.
    this.#queue = [...deferred, ...this.#queue.slice(batch.length + deferred.length)];
    return batch;
  }

  async #commitBatch(batch: readonly QueuedWrite<W, R>[]): Promise<void> {
    const started = performance.now();
    try {
      const results = await this.#commit(batch.map(({ write }) => write));
      this.#writers = batch.length + this.#queue.length;
      batch.forEach(({ resolve }, i) => {
        resolve(results[i] as R);
      });
    } catch (error) {
      if (batch.length > 1 && this.#options.isCausedByOneWrite?.(error)) await this.#commitSeparately(batch);
      else for (const { reject } of batch) reject(error);
      return;
    }
    this.#options.onCommit?.({ writes: batch.length, milliseconds: performance.now() - started });
  }

  async #commitSeparately(batch: readonly QueuedWrite<W, R>[]): Promise<void> {
    for (const queued of batch) {
      if (this.#isAborted) queued.reject(this.#closeError);
      else await this.#commitBatch([queued]);
    }
  }
}

/** Resolves when all writes of this turn of the event loop are queued. */
const afterThisTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
