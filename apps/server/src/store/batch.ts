import { type Stored, UnavailableError } from './store.ts';
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
  isClosed = false;

  constructor(commit: (writes: Write[]) => Promise<Outcome[]>) {
    this.#commit = commit;
  }

  async add(write: Write): Promise<Stored | undefined> {
    if (this.isClosed) throw new UnavailableError('The store is closed.');
    if (this.#waiting.length >= WAITING.writes || this.#size > WAITING.size)
      throw new UnavailableError('Too many writes are waiting.');
    const { promise, resolve, reject } = Promise.withResolvers<Stored | undefined>();
    this.#waiting.push({ write, resolve, reject });
    this.#size += write.body.length;
    this.#running ??= this.#run();
    return promise;
  }

  /** Rejects further writes, and resolves when all waiting ones are done. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    // Writes of the same moment belong to the same commit.
    await null;
    while (this.#waiting.length > 0) {
      const group = this.#take();
      const failed = (error: unknown) => group.map(() => error);
      const outcomes = await this.#commit(group.map(({ write }) => write)).catch(failed);
      for (const [i, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[i];
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome as Stored | undefined);
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
