import type { Outcome, Write } from './commit-plan.ts';
import { UnavailableError } from './store.ts';

/** The bounds of all writes that are not yet done. */
export const WAITING = { writes: 20_000, size: 2 ** 26 };
/** The bounds of one commit. Its last write may exceed the size. */
const COMMIT = { writes: 1_000, size: 2 ** 22 };

type Result = Exclude<Outcome, Error>;

interface Waiting {
  readonly write: Write;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Collects the writes that wait while a commit is under way: they become the next commit. */
export class WriteQueue {
  readonly #commit: (writes: readonly Write[]) => Promise<Outcome[]>;
  readonly #waiting: Waiting[] = [];
  /** The number and the size of all writes that are not yet done. */
  readonly #pending = { writes: 0, size: 0 };
  #running: Promise<void> | undefined;
  /** When the commit that is under way began. */
  #began: number | undefined;

  /**
   * `commit` resolves with an outcome for each write when all are saved, or rejects for all of
   * them.
   */
  constructor(commit: (writes: readonly Write[]) => Promise<Outcome[]>) {
    this.#commit = commit;
  }

  /** Resolves when the write is saved. */
  add(write: Write): Promise<Result> {
    if (this.#pending.writes >= WAITING.writes || this.#pending.size > WAITING.size)
      throw new UnavailableError('Too many writes are waiting.');
    this.#pending.writes += 1;
    this.#pending.size += write.size;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ write, resolve, reject });
    this.#running ??= this.#run();
    return promise;
  }

  /** For how many milliseconds the commit that is under way has been running; 0 if none is. */
  get commitTime(): number {
    return this.#began === undefined ? 0 : performance.now() - this.#began;
  }

  /** Resolves when no write waits. */
  async finished(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Writes of the same moment belong to the same commit.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      this.#began = performance.now();
      await this.#commitGroup(this.#nextGroup());
    }
    this.#began = undefined;
    this.#running = undefined;
  }

  #nextGroup(): Waiting[] {
    let count = 0;
    let size = 0;
    for (const { write } of this.#waiting) {
      if (count === COMMIT.writes || size >= COMMIT.size) break;
      count += 1;
      size += write.size;
    }
    return this.#waiting.splice(0, count);
  }

  async #commitGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#commit(group.map(({ write }) => write));
      for (const [i, waiting] of group.entries()) settle(waiting, outcomes[i]);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    this.#pending.writes -= group.length;
    for (const { write } of group) this.#pending.size -= write.size;
  }
}

function settle({ resolve, reject }: Waiting, outcome: Outcome): void {
  if (outcome instanceof Error) reject(outcome);
  else resolve(outcome);
}
