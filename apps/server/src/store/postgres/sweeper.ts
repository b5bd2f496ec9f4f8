import type { IdempotencyState } from '../store.ts';
import type { Connections } from './connections.ts';
import { sweepKeys } from './statements.ts';

/** The keys that one sweep looks at: it holds up the commits of this server for as long. */
const SWEPT_KEYS = 1_000;
/** A sweep follows so many keys that were stored. It removes more than these, so that the keys stay within their bound. */
const KEYS_PER_SWEEP = 500;
const SWEEP_MS = 60_000;

/** Removes the keys of idempotent writes that are too old or too many, every minute and behind the commits that store some. */
export function keySweeper(writers: Connections, maxKeys: number, timeoutMs: number) {
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
  // The database cannot be reached now: the next one does it.
  const start = () =>
    (running ??= sweep()
      .catch(() => {})
      .finally(() => (running = undefined)));
  let isClosed = false;
  const timer = setInterval(start, SWEEP_MS).unref();

  return {
    state: (): IdempotencyState => ({ ...state, keys: state.keys + stored }),
    /** Says that a commit has stored so many keys. */
    stored: (count: number) => {
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
