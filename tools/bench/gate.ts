// The gate of `npm run test:deep`: the promises that a request costs our server no more CPU than
// Fastify with the same promises, and that a call of our client costs little more than one of
// openapi-fetch.
import { cpuOfOurs, cpuOfTheirs, MOST_CPU } from './client.ts';
import { type Effort, inRotation, medianRatio, quantile, ratios } from './measure.ts';
import { fastify, ours, Rotation } from './servers.ts';
import { type Row, rows } from './workload.ts';

/** How often what misses its bound is measured, servers each time with new processes. */
const TRIES = 3;
/** If the same program differs from itself by more than this, the measurement says nothing. */
const MAX_TOLERANCE = 0.2;

const call = 'a call of the client';
const servers = { other: fastify, ours, again: ours };

/** The CPU times of each round: of what ours is compared with, of ours, and of ours once more. */
type Rounds = Readonly<Record<'other' | 'ours' | 'again', readonly number[]>>;

interface Verdict {
  readonly what: string;
  readonly ratio: number;
  /** The most that is promised. */
  readonly most: number;
  readonly tolerance: number;
  readonly isKept: boolean;
}

/** Throws if a bound is missed in all tries. */
export async function gate(effort: Effort): Promise<void> {
  let missed: Verdict[] = [];
  let left = [call, ...Object.keys(rows)];
  for (let tries = 0; tries < TRIES && left.length > 0; tries++) {
    const verdicts = [...(await judgeClient(left, effort)), ...(await judgeServer(left, effort))];
    for (const verdict of verdicts) console.log(lineOf(verdict));
    missed = verdicts.filter(({ isKept }) => !isKept);
    left = missed.map(({ what }) => what);
  }
  if (missed.length > 0) throw new Error(missed.map(failureOf).join('\n'));
}

async function judgeClient(left: readonly string[], effort: Effort): Promise<Verdict[]> {
  if (!left.includes(call)) return [];
  const subjects = {
    other: { measure: () => cpuOfTheirs(effort) },
    ours: { measure: () => cpuOfOurs(effort) },
    again: { measure: () => cpuOfOurs(effort) },
  };
  return [verdictOf(call, await inRotation(call, subjects, effort.rounds), MOST_CPU)];
}

async function judgeServer(left: readonly string[], effort: Effort): Promise<Verdict[]> {
  const rowsLeft = (Object.keys(rows) as Row[]).filter((row) => left.includes(row));
  if (rowsLeft.length === 0) return [];
  await using rotation = await Rotation.start(servers);
  await rotation.warmUp(effort);
  const verdicts: Verdict[] = [];
  for (const row of rowsLeft) {
    const samples = await rotation.measure(row, effort);
    const cpuOf = (name: keyof Rounds) => samples[name].map(({ cpu }) => cpu);
    const rounds = { other: cpuOf('other'), ours: cpuOf('ours'), again: cpuOf('again') };
    verdicts.push(verdictOf(row, rounds, 1));
  }
  return verdicts;
}

/**
 * Compares the mean of both of ours with the other. The tolerance is the noise: in three of four
 * rounds, both of ours differ by at most that. The judged ratio is the median of all rounds, which
 * varies less than a round does.
 */
export function verdictOf(what: string, { other, ours, again }: Rounds, most: number): Verdict {
  const mean = ours.map((cpu, round) => (cpu + (again[round] ?? cpu)) / 2);
  const differences = ratios(again, ours).map((ratio) => Math.abs(ratio - 1));
  const tolerance = quantile(differences, 0.75);
  const ratio = medianRatio(mean, other);
  const isKept = tolerance <= MAX_TOLERANCE && ratio <= most + tolerance;
  return { what, ratio, most, tolerance, isKept };
}

function lineOf({ what, ratio, most, tolerance }: Verdict): string {
  const bound = `at most ${most} and the noise of ${tolerance.toFixed(2)}`;
  return `${what}: CPU as a multiple of the other's ${ratio.toFixed(2)}, ${bound}`;
}

function failureOf(verdict: Verdict): string {
  if (verdict.tolerance > MAX_TOLERANCE)
    return `${lineOf(verdict)}: the same program differs too much from itself. Run the gate alone.`;
  return `${lineOf(verdict)}: it has become slower.`;
}
