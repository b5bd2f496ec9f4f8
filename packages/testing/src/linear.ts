import { expect } from 'vitest';

const FACTOR = 8;
const ROUNDS = 5;

/**
 * Expects less than 24 times the CPU time for eight times the length; quadratic work takes 64 times. It compares the least of
 * several rounds, because other load only adds time.
 */
export async function expectLinearAsync(work: (length: number) => unknown, small: number): Promise<void> {
  const least = async (length: number) => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const before = process.cpuUsage();
      await work(length);
      const { user, system } = process.cpuUsage(before);
      times.push(user + system);
    }
    return Math.min(...times);
  };
  const few = await least(small);
  // Less than 5 ms is too short to compare.
  expect(await least(small * FACTOR)).toBeLessThan(Math.max(few, 5_000) * FACTOR * 3);
}

/** Expects the same of work that is prepared first. */
export async function expectLinear(prepare: (length: number) => () => void, small = 2 ** 16): Promise<void> {
  const works = new Map([small, small * FACTOR].map((length) => [length, prepare(length)]));
  await expectLinearAsync((length) => works.get(length)?.(), small);
}
