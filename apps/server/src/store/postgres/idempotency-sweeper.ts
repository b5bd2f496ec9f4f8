import type { IdempotencyState } from '../store.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { sweepKeys } from './statements.ts';

/** The number of keys that one statement reads. It is small, because commits wait for the same connection. */
const SWEPT_KEYS = 1_000;
/**
 * A sweep starts after this many new keys. A sweep can remove more keys than that, so the number of keys stays within its
 * bound.
 */
const KEYS_PER_SWEEP = 500;
const SWEEP_MS = 60_000;

/** Removes idempotency keys that have expired or exceed `maxKeys`: every minute, and after KEYS_PER_SWEEP stored keys. */
export function idempotencySweeper(writers: ConnectionPool, maxKeys: number, timeoutMs: number) {
  let state: IdempotencyState = { keys: 0, forgotten: 0 };
  let stored = 0;
  let running: Promise<void> | undefined;

  const sweep = async () => {
    for (let isDone = false; !isDone; ) {
      stored = 0;
      const query = { ...sweepKeys, values: [SWEPT_KEYS, maxKeys] };
      const { rows } = await writers.use((session) => session.write(query, timeoutMs));
      const [removed = 0, unexpired = 0, remaining = 0] = (rows[0] ?? []).map(Number);
      state = { keys: remaining, forgotten: state.forgotten + unexpired };
      isDone = removed < SWEPT_KEYS || isClosed;
    }
  };
  // An error needs no handling: the next sweep removes the keys.
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
