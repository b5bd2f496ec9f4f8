import type { IdempotencyState } from '../store.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { sweepKeys } from './statements.ts';

/** The number of keys that one statement reads. It delays this server's commits. */
const SWEPT_KEYS = 1_000;
/** A sweep starts after this many new keys. It can remove more than that, so the number of keys stays within its bound. */
const KEYS_PER_SWEEP = 500;
const SWEEP_MS = 60_000;

/** Removes idempotency keys that are too old or too many: every minute, and after commits that store some. */
export function idempotencySweeper(writers: ConnectionPool, maxKeys: number, timeoutMs: number) {
  let state: IdempotencyState = { keys: 0, forgotten: 0 };
  let stored = 0;
  let running: Promise<void> | undefined;

  const sweep = async () => {
    for (let isDone = false; !isDone; ) {
      stored = 0;
      const query = { ...sweepKeys, values: [SWEPT_KEYS, maxKeys] };
      const { rows } = await writers.use((session) => session.write(query, timeoutMs));
      const [removed = 0, early = 0, left = 0] = (rows[0] ?? []).map(Number);
      state = { keys: left, forgotten: state.forgotten + early };
      isDone = removed < SWEPT_KEYS || isClosed;
    }
  };
  // If the database cannot be reached, the next sweep removes them.
  const start = () =>
    (running ??= sweep()
      .catch(() => {})
      .finally(() => (running = undefined)));
  let isClosed = false;
  const timer = setInterval(start, SWEEP_MS).unref();

  return {
    state: (): IdempotencyState => ({ ...state, keys: state.keys + stored }),
    /** Counts keys that a commit has stored. */
    onStored: (count: number) => {
      stored += count;
      if (stored >= KEYS_PER_SWEEP) void start();
    },
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      await running;
    },
  };
}
