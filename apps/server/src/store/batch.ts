import { UnavailableError } from './store.ts';

/** The bounds of all waiting writes, and of one commit. */
const WAITING = { writes: 20_000, size: 2 ** 26 };
/** The last write of a commit may exceed its size. */
const COMMIT = { writes: 1_000, size: 2 ** 22 };

/** Collects the writes that wait while a commit is under way: they become the next commit. An error as outcome rejects its write. */
export function batched<Write extends { readonly body: string }, Outcome>(
  commit: (writes: readonly Write[]) => Promise<Outcome[]>,
) {
  type Done = Exclude<Outcome, Error>;
  const waiting: (Omit<PromiseWithResolvers<Done>, 'promise'> & { readonly write: Write })[] = [];
  let waitingSize = 0;
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    // Writes of the same moment belong to the same commit.
    await null;
    while (waiting.length > 0) {
      let [count, size] = [0, 0];
      for (; size < COMMIT.size && count < Math.min(waiting.length, COMMIT.writes); count++)
        size += waiting[count]?.write.body.length ?? 0;
      waitingSize -= size;
      const group = waiting.splice(0, count);
      const outcomes = await commit(group.map(({ write }) => write)).catch((error) =>
        group.map(() => error),
      );
      for (const [i, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[i];
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      }
    }
    running = undefined;
  };

  const add = (write: Write): Promise<Done> => {
    if (waiting.length >= WAITING.writes || waitingSize > WAITING.size)
      throw new UnavailableError('Too many writes are waiting.');
    const { promise, resolve, reject } = Promise.withResolvers<Done>();
    waiting.push({ write, resolve, reject });
    waitingSize += write.body.length;
    running ??= run();
    return promise;
  };
  return { add, finished: async () => running };
}
