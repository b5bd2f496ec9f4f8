// What all parts of the bench share: the effort of a run, measurements in turns, medians and
// bounds.
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The effort of a run. */
export interface Effort {
  /** The number of measurements of each subject, which takes turns with the others. */
  readonly rounds: number;
  /** The part `http` starts its servers this number of times, and divides the rounds among them. */
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

/** A bound of a value. At most one of the two is given. */
interface Bounds {
  readonly atLeast?: number;
  readonly atMost?: number;
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
    const ratio = medianRatio(measured[name], measured[first]);
    const bound = boundCell(ratio, bounds);
    return { measured: `${unit}: ${name}`, median: median(measured[name]), ratio, bound };
  });
}

/** A value that is compared with nothing. */
export function singleRow(what: string, measured: number, bounds: Bounds = {}): Table[number] {
  return { measured: what, median: measured, ratio: '', bound: boundCell(measured, bounds) };
}

/**
 * The bound of a value as the page shows it: `≤ 1.1`, or `≤ 1.1, missed`. Empty without a bound.
 */
export function boundCell(measured: number, { atLeast, atMost }: Bounds): string {
  if (atLeast !== undefined) return measured >= atLeast ? `≥ ${atLeast}` : `≥ ${atLeast}, missed`;
  if (atMost !== undefined) return measured <= atMost ? `≤ ${atMost}` : `≤ ${atMost}, missed`;
  return '';
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

/** The number at this part of the sorted numbers, by the nearest rank: 0.5 gives the median. */
export function quantile(numbers: readonly number[] = [], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
}

export function median(numbers?: readonly number[]): number {
  return quantile(numbers, 0.5);
}

/**
 * The ratios of two subjects, round by round: what slows a whole round down changes none of them.
 */
export function ratios(parts: readonly number[], wholes: readonly number[]): number[] {
  return parts.map((part, round) => part / (wholes[round] ?? Number.NaN));
}

export function medianRatio(parts: readonly number[] = [], wholes: readonly number[] = []): number {
  return median(ratios(parts, wholes));
}

/** Prints to stderr what is being measured, and the seconds since the start of the bench. */
export function progress(what: string): void {
  console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${what}`);
}

/** A temporary folder, which is removed at the end of the block that declares it with `using`. */
export function newScratch() {
  return mkdtempDisposableSync(join(tmpdir(), 'petstore-bench-'));
}
