import { expect } from 'vitest';

const SMALL = 2 ** 16;
const FACTOR = 8;
const ROUNDS = 7;

/**
 * Whether work on eight times the length takes eight times the CPU time, and not sixty-four times. The least of several rounds
 * counts, so that whatever else the machine does cannot fail it; the bound is half-way, as a ratio.
 */
export function expectLinear(prepare: (length: number) => () => void, small = SMALL): void {
  const [smaller, larger] = [prepare(small), prepare(small * FACTOR)];
  // As often as it takes about as long as once with the larger one, so that both are measured alike.
  const few = leastCpuTime(smaller, FACTOR);
  const many = leastCpuTime(larger);
  // Below some microseconds there is nothing to compare.
  expect(many).toBeLessThan(Math.max(few, 20) * FACTOR * 3);
}

/** The least CPU time of several rounds, in microseconds: whatever else the machine does can only add to it. */
export function leastCpuTime(work: () => void, times = 1): number {
  return Math.min(
    ...Array.from({ length: ROUNDS }, () => {
      const before = process.cpuUsage();
      for (let i = 0; i < times; i++) work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / times;
    }),
  );
}
