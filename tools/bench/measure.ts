// How all parts of the bench measure, and what they return.
import { mkdtempDisposableSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

export type Table = readonly Readonly<Record<string, string | number>>[];

/** A bound, which is only shown: a missed one fails nothing. */
export type Target = readonly [what: string, measured: number, sign: '≥' | '≤', bound: number];

/** What a part of the bench has measured. */
export interface Section {
  readonly title: string;
  /** The method, in a few sentences. */
  readonly how: string;
  readonly tables: readonly Table[];
  readonly targets: readonly Target[];
}

/** Before a part keeps this process on one of them. */
export const cores = availableParallelism();

export function median(numbers: readonly number[] = []): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

/** The median of the ratios of two numbers, round by round. */
export function medianRatio(parts: readonly number[] = [], wholes: readonly number[] = []): number {
  return median(parts.map((part, round) => part / (wholes[round] ?? Number.NaN)));
}

/**
 * Measures all subjects in turns, so that other load on the machine affects all alike. Each round begins with another
 * subject. An additional round, number -1, only warms up.
 */
export async function inRounds<Name extends string, Measured>(
  subjects: Readonly<Record<Name, (round: number) => Promise<Measured>>>,
  rounds: number,
): Promise<Record<Name, Measured[]>> {
  const all = Object.entries(subjects) as [Name, (round: number) => Promise<Measured>][];
  // `fromEntries` loses the names.
  const measured = Object.fromEntries(all.map(([name]) => [name, []])) as unknown as Record<
    Name,
    Measured[]
  >;
  for (let round = -1; round < rounds; round++) {
    const first = Math.max(round, 0) % all.length;
    for (const [name, measure] of [...all.slice(first), ...all.slice(0, first)]) {
      const result = await measure(round);
      if (round >= 0) measured[name].push(result);
    }
  }
  return measured;
}

/** The calls per second of concurrent callers, which repeat the call `count` times together. */
export async function rateOf(call: () => unknown, callers: number, count: number): Promise<number> {
  const started = performance.now();
  let calls = 0;
  const caller = async () => {
    while (calls++ < count) await call();
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (count / (performance.now() - started)) * 1000;
}

/** A temporary folder, which is removed at the end of the block that declares it with `using`. */
export const newScratch = () => mkdtempDisposableSync(join(tmpdir(), 'petstore-bench-'));
