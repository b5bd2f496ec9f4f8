// The gate of `npm run test:deep`: the promise that a request costs ours no more CPU than Fastify
// with the same promises.
import { type Effort, medianRatio, quantile, ratios } from './measure.ts';
import { fastify, ours } from './peer.ts';
import { type Row, rows } from './requests.ts';
import { Rotation, type Sample } from './rotation.ts';

/** How often a row that misses its bound is measured, each time with new processes. */
const TRIES = 3;
/** If the same server differs from itself by more than this, the measurement says nothing. */
const MAX_TOLERANCE = 0.2;

const servers = { Fastify: fastify, ours, 'ours again': ours };
type Name = keyof typeof servers;

interface Verdict {
  readonly row: Row;
  readonly ratio: number;
  readonly tolerance: number;
  readonly isKept: boolean;
}

/** Throws if a row misses its bound in all tries. */
export async function gate(effort: Effort): Promise<void> {
  let missed: Verdict[] = [];
  let left = Object.keys(rows) as Row[];
  for (let tries = 0; tries < TRIES && left.length > 0; tries++) {
    const verdicts = await judge(left, effort);
    missed = verdicts.filter(({ isKept }) => !isKept);
    left = missed.map(({ row }) => row);
  }
  if (missed.length > 0) throw new Error(missed.map(failureOf).join('\n'));
}

/** Measures rows with new processes, and prints each verdict. */
async function judge(left: readonly Row[], effort: Effort): Promise<Verdict[]> {
  await using rotation = await Rotation.start(servers);
  await rotation.warmUp(effort);
  const verdicts: Verdict[] = [];
  for (const row of left) {
    const verdict = verdictOf(row, await rotation.measure(row, effort));
    console.log(lineOf(verdict));
    verdicts.push(verdict);
  }
  return verdicts;
}

/**
 * Compares Fastify with the mean of the two processes of ours. The tolerance is the noise: in three
 * of four rounds, these two differ by at most that. The judged ratio is the median of all rounds,
 * which varies less than a round does.
 */
export function verdictOf(
  row: Row,
  samples: Record<Name, readonly Pick<Sample, 'cpu'>[]>,
): Verdict {
  const cpuOf = (name: Name) => samples[name].map(({ cpu }) => cpu);
  const first = cpuOf('ours');
  const second = cpuOf('ours again');
  const mean = first.map((cpu, round) => (cpu + (second[round] ?? cpu)) / 2);
  const differences = ratios(second, first).map((ratio) => Math.abs(ratio - 1));
  const tolerance = quantile(differences, 0.75);
  const ratio = medianRatio(cpuOf('Fastify'), mean);
  return { row, ratio, tolerance, isKept: tolerance <= MAX_TOLERANCE && ratio >= 1 - tolerance };
}

function lineOf({ row, ratio, tolerance }: Verdict): string {
  const least = (1 - tolerance).toFixed(2);
  const bound = `at least ${least}, which is 1 less the noise of ${tolerance.toFixed(2)}`;
  return `${row}: CPU of Fastify / ours ${ratio.toFixed(2)}, ${bound}`;
}

function failureOf(verdict: Verdict): string {
  if (verdict.tolerance > MAX_TOLERANCE)
    return `${lineOf(verdict)}: the same server differs too much from itself. Run the gate alone.`;
  return `${lineOf(verdict)}: a request has become slower.`;
}
