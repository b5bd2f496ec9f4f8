import { messageOf, type Stored, UnavailableError } from './store.ts';
import type { Outcome, Write } from './writes.ts';

/** The bounds of all waiting writes, and of one commit. */
const WAITING = { writes: 20_000, size: 2 ** 26 };
const COMMIT = { writes: 1_000, size: 2 ** 22 };

interface Waiting {
  readonly write: Write;
  readonly resolve: (stored: Stored | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects the writes that wait while a commit is under way: they become the next commit. */
export class Batch {
  readonly #commit: (writes: Write[]) => Promise<Outcome[]>;
  #waiting: Waiting[] = [];
  #size = 0;
  #running: Promise<void> | undefined;
  #isClosed = false;

  /** `commit` resolves with an outcome for each write, or rejects for all of them. */
  constructor(commit: (writes: Write[]) => Promise<Outcome[]>) {
    this.#commit = commit;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  add(write: Write): Promise<Stored | undefined> {
    if (this.#isClosed) return Promise.reject(new UnavailableError('The store is closed.'));
    if (this.#waiting.length >= WAITING.writes || this.#size > WAITING.size)
      return Promise.reject(new UnavailableError('Too many writes are waiting.'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject });
      this.#size += write.body.length;
      this.#running ??= this.#run();
    });
  }

  /** Rejects further writes, and resolves when all waiting ones are done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    // Writes of the same moment belong to the same commit.
    await null;
    while (this.#waiting.length > 0) {
      const group = this.#take();
      try {
        const outcomes = await this.#commit(group.map(({ write }) => write));
        group.forEach(({ resolve, reject }, i) => {
          const outcome = outcomes[i];
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome);
        });
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#running = undefined;
  }

  #take(): Waiting[] {
    let [count, size] = [0, 0];
    for (const { write } of this.#waiting) {
      if (count === COMMIT.writes || (count > 0 && size + write.body.length > COMMIT.size)) break;
      count++;
      size += write.body.length;
    }
    this.#size -= size;
    return this.#waiting.splice(0, count);
  }
}

/** An error of the disk or the database as the error that says that nothing was done. */
export function nothingDone(error: unknown): UnavailableError {
  if (error instanceof UnavailableError) return error;
  return new UnavailableError(`Nothing was written (${messageOf(error)}).`, { cause: error });
}
