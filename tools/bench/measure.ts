// How all parts of the bench measure, and what they return.
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How much a run measures. */
export interface Effort {
  /** How often each subject is measured, in turns with the others. */
  readonly rounds: number;
  /** How often the servers of the part `http` are started, each time for a part of the rounds. */
  readonly launches: number;
  /** Requests or calls of a subject in a round. */
  readonly requests: number;
  /** A subject that is too slow for these requests stops after this time. */
  readonly milliseconds: number;
  /** Documents of the large store. */
  readonly documents: number;
}

export const full: Effort = {
  rounds: 9,
  launches: 3,
  requests: 20_000,
  milliseconds: 1500,
  documents: 1_000_000,
};

/** Proves that everything can be measured. Its figures say nothing. */
export const quick: Effort = {
  rounds: 2,
  launches: 1,
  requests: 200,
  milliseconds: 300,
  documents: 5000,
};

export type Table = readonly Readonly<Record<string, string | number>>[];

/** What a part of the bench has measured: one table, and a Mermaid chart. */
export interface Section {
  readonly chart?: string;
  readonly table: Table;
}

interface Bounds {
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

/** What is compared, with the bound of its ratio to the first subject of the comparison. */
interface Subject extends Bounds {
  readonly measure: () => Promise<number>;
}

/** Measures subjects in turns, and compares each with the first. */
export async function compare(
  unit: string,
  subjects: Readonly<Record<string, Subject>>,
  { rounds }: Effort,
): Promise<Table> {
  const measured = await inRotation(unit, subjects, rounds);
  const [first = ''] = Object.keys(subjects);
  return Object.entries(subjects).map(([name, bounds]) => {
    const what = `${unit}: ${name}`;
    const ratio = medianRatio(measured[name], measured[first]);
    const promise = promiseOf(`${what} / ${first}`, ratio, bounds);
    return { measured: what, median: median(measured[name]), ratio, promise };
  });
}

/** A value that is compared with nothing. */
export function singleRow(what: string, measured: number, bounds: Bounds = {}): Table[number] {
  return {
    measured: what,
    median: measured,
    ratio: '',
    promise: promiseOf(what, measured, bounds),
  };
}

/** The bound of a value, as the page has it. A run that misses it says so, and publishes no bound. */
export function promiseOf(what: string, measured: number, { atLeast, atMost }: Bounds): string {
  if (atLeast === undefined && atMost === undefined) return '';
  const bound = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
  const isKept = measured >= (atLeast ?? -Infinity) && measured <= (atMost ?? Infinity);
  if (!isKept) console.error(`MISSED: ${what}: ${measured.toFixed(2)}, wanted ${bound}`);
  return isKept ? bound : '';
}

/**
 * Measures all subjects in turns, so that other load on the machine affects all alike. Each round
 * begins with another subject. Round 0 only warms up.
 */
export async function inRotation<Name extends string, Measured>(
  what: string,
  subjects: Readonly<Record<Name, { readonly measure: () => Promise<Measured> }>>,
  rounds: number,
): Promise<Record<Name, Measured[]>> {
  const names = Object.keys(subjects) as Name[];
  const measured = {} as Record<Name, Measured[]>;
  for (const name of names) measured[name] = [];
  progress(`${what}: ${names.join(', ')}`);
  for (let round = 0; round <= rounds; round++) {
    for (const index of names.keys()) {
      const name = names[(index + round) % names.length] as Name;
      const result = await subjects[name].measure();
      if (round > 0) measured[name].push(result);
    }
  }
  return measured;
}

/** The smallest number that at least this part of the numbers does not exceed. */
export function quantile(numbers: readonly number[] = [], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
}

export function median(numbers?: readonly number[]): number {
  return quantile(numbers, 0.5);
}

/** The ratios of two subjects, round by round: what slows a whole round down changes none of them. */
export function ratios(parts: readonly number[], wholes: readonly number[]): number[] {
  return parts.map((part, round) => part / (wholes[round] ?? Number.NaN));
}

export function medianRatio(parts: readonly number[] = [], wholes: readonly number[] = []): number {
  return median(ratios(parts, wholes));
}

/** Says on stderr what is being measured, and how long the bench has been running. */
export function progress(what: string): void {
  console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${what}`);
}

/** A temporary folder, which is removed at the end of the block that declares it with `using`. */
export function newScratch() {
  return mkdtempDisposableSync(join(tmpdir(), 'petstore-bench-'));
}
