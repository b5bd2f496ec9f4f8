import { expect } from 'vitest';

const SMALL = 2 ** 16;
const FACTOR = 8;
const ROUNDS = 7;
/** The first rounds are slower, because Node still compiles. */
const MIN_ROUNDS = 3;

/**
 * Expects less than 24 times the CPU time for eight times the length; quadratic work takes 64 times. It compares the minimum of
 * several rounds, because other load only adds time, and stops once it is within the bound, not before MIN_ROUNDS.
 */
export function expectLinear(prepare: (length: number) => () => void, small = SMALL): void {
  const [smaller, larger] = [prepare(small), prepare(small * FACTOR)];
  let [few, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // Less is too short to compare: only to allocate half a MiB takes several hundred microseconds on some systems.
  const bound = () => Math.max(few, 100) * FACTOR * 3;
  for (let round = 1; round <= ROUNDS && (round <= MIN_ROUNDS || many >= bound()); round++) {
    // Repeats the small work, so both measurements take about the same time.
    few = Math.min(few, cpuTime(smaller, FACTOR));
    many = Math.min(many, cpuTime(larger));
  }
  expect(many).toBeLessThan(bound());
}

/** Expects the same of asynchronous work, in a fixed number of rounds. */
export async function expectLinearAsync(work: (length: number) => Promise<void>, small: number): Promise<void> {
  const least = async (length: number) => {
    let time = Number.POSITIVE_INFINITY;
    for (let round = 1; round <= MIN_ROUNDS; round++) {
      const before = process.cpuUsage();
      await work(length);
      time = Math.min(time, timeSince(before));
    }
    return time;
  };
  const few = await least(small);
  expect(await least(small * FACTOR)).toBeLessThan(Math.max(few, 5_000) * FACTOR * 3);
}

/** The minimum CPU time of several rounds, in microseconds, because other load only adds time. */
export function leastCpuTime(work: () => void): number {
  return Math.min(...Array.from({ length: ROUNDS }, () => cpuTime(work)));
}

function cpuTime(work: () => void, times = 1): number {
  const before = process.cpuUsage();
  for (let i = 0; i < times; i++) work();
  return timeSince(before) / times;
}

function timeSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
