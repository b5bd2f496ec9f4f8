import { expect } from 'vitest';

const SMALL = 2 ** 16;
const FACTOR = 8;
const ROUNDS = 7;
/** The first rounds are slower, because code is compiled meanwhile. */
const MIN_ROUNDS = 3;

/**
 * Whether work on eight times the length takes eight times the CPU time, and not sixty-four times. The least of several rounds
 * counts, so that whatever else the machine does cannot fail it; the bound is half-way, as a ratio. It ends with the round
 * that shows it.
 */
export function expectLinear(prepare: (length: number) => () => void, small = SMALL): void {
  const [smaller, larger] = [prepare(small), prepare(small * FACTOR)];
  let [few, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // Below some microseconds there is nothing to compare.
  const bound = () => Math.max(few, 20) * FACTOR * 3;
  for (let round = 1; round <= ROUNDS && (round <= MIN_ROUNDS || many >= bound()); round++) {
    // As often as it takes about as long as once with the larger one, so that both are measured alike.
    few = Math.min(few, cpuTime(smaller, FACTOR));
    many = Math.min(many, cpuTime(larger));
  }
  expect(many).toBeLessThan(bound());
}

/** The least CPU time of several rounds, in microseconds: whatever else the machine does can only add to it. */
export function leastCpuTime(work: () => void): number {
  return Math.min(...Array.from({ length: ROUNDS }, () => cpuTime(work)));
}

function cpuTime(work: () => void, times = 1): number {
  const before = process.cpuUsage();
  for (let i = 0; i < times; i++) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}
