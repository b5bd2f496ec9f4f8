// How all parts of the bench measure, and what they return.
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How much a run measures. */
export interface Effort {
  /** Each subject is measured so often, in turns with the others. */
  readonly rounds: number;
  /** Requests or calls of a subject in a round. */
  readonly requests: number;
  /** A subject that is too slow for these requests stops after this time. */
  readonly milliseconds: number;
  /** Documents of the large store. */
  readonly documents: number;
}

export const full: Effort = {
  rounds: 9,
  requests: 20_000,
  milliseconds: 1500,
  documents: 1_000_000,
};

/** Proves that everything can be measured. Its figures say nothing. */
export const quick: Effort = { rounds: 2, requests: 200, milliseconds: 300, documents: 5000 };

export type Table = readonly Readonly<Record<string, string | number>>[];

/** A bound on a measured value. A run that misses one prints it, and does not publish it. */
export interface Target {
  readonly name: string;
  readonly measured: number;
  readonly sign: '≥' | '≤';
  readonly bound: number;
}

/** What a part of the bench has measured. */
export interface Section {
  readonly title: string;
  /** What is compared with what, and why that is fair: a sentence each. */
  readonly comparisons: readonly string[];
  /** A Mermaid chart. */
  readonly chart?: string;
  readonly tables: readonly Table[];
  readonly targets: readonly Target[];
}

/** What one of several measurements adds to a section. */
export type Part = Pick<Section, 'tables' | 'targets'>;

export function atLeast(name: string, measured: number, bound: number): Target {
  return { name, measured, sign: '≥', bound };
}

export function atMost(name: string, measured: number, bound: number): Target {
  return { name, measured, sign: '≤', bound };
}

export function isMet({ measured, sign, bound }: Target): boolean {
  return sign === '≥' ? measured >= bound : measured <= bound;
}

/** The smallest number that at least this part of the numbers does not exceed. */
export function quantile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
}

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

/** The ratios of two subjects, round by round: what slows a whole round down changes none of them. */
export function ratios(parts: readonly number[], wholes: readonly number[]): number[] {
  return parts.map((part, round) => part / (wholes[round] ?? Number.NaN));
}

export function medianRatio(parts: readonly number[], wholes: readonly number[]): number {
  return median(ratios(parts, wholes));
}

/**
 * Measures all subjects in turns, so that other load on the machine affects all alike. Each round
 * begins with another subject. An additional first round only warms up.
 */
export async function inRotation<Name extends string, Measured>(
  what: string,
  subjects: Readonly<Record<Name, () => Promise<Measured>>>,
  rounds: number,
): Promise<Record<Name, Measured[]>> {
  const names = Object.keys(subjects) as Name[];
  const measured = {} as Record<Name, Measured[]>;
  for (const name of names) measured[name] = [];
  for (let round = 0; round <= rounds; round++) {
    progress(`${what}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`);
    for (const index of names.keys()) {
      const name = names[(index + round) % names.length] as Name;
      const result = await subjects[name]();
      if (round > 0) measured[name].push(result);
    }
  }
  return measured;
}

/** Runs concurrent callers, which make so many calls together. Returns the calls per second. */
export async function rateOf(call: () => unknown, callers: number, count: number): Promise<number> {
  const started = performance.now();
  let calls = 0;
  const caller = async () => {
    while (calls < count) {
      calls++;
      await call();
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (count * 1000) / (performance.now() - started);
}

/** Says on stderr what is being measured, and how long the bench has been running. */
export function progress(what: string): void {
  console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${what}`);
}

/** A temporary folder, which is removed at the end of the block that declares it with `using`. */
export function newScratch() {
  return mkdtempDisposableSync(join(tmpdir(), 'petstore-bench-'));
}
