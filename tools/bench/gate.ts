// The gate of `npm run test:deep`. A request may cost our server no more CPU than Fastify with the
// same features, and a call of our client little more than one of openapi-fetch. Both may exceed
// their bound by the noise of the measurement.
import { MOST_CPU, measureOurCpu, measureTheirCpu } from './client.ts';
import { type Effort, inRotation, medianRatio, quantile, ratios } from './measure.ts';
import { cpuSamples, fastify, ours, Rotation } from './servers.ts';
import { type Row, rows } from './workload.ts';

/** What misses its bound is measured again, up to this number of times, with new processes. */
const TRIES = 3;
/** A measurement with more noise says nothing. */
const MAX_NOISE = 0.2;

const call = 'a call of the client';
const servers = { other: fastify, ours, again: ours };

/** The CPU times of each round: of what ours is compared with, of ours, and of ours once more. */
type Rounds = Readonly<Record<'other' | 'ours' | 'again', readonly number[]>>;

interface Verdict {
  readonly what: string;
  readonly ratio: number;
  /** The bound of the ratio. */
  readonly most: number;
  /** The part by which two measurements of the same program differ. It is added to the bound. */
  readonly noise: number;
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
    other: { measure: () => measureTheirCpu(effort) },
    ours: { measure: () => measureOurCpu(effort) },
    again: { measure: () => measureOurCpu(effort) },
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
    const other = cpuSamples(samples.other);
    const rounds = { other, ours: cpuSamples(samples.ours), again: cpuSamples(samples.again) };
    verdicts.push(verdictOf(row, rounds, 1));
  }
  return verdicts;
}

/**
 * Compares the mean of both measurements of ours with the other's. The noise is the part by which
 * both differ in all but a quarter of the rounds. Noise up to 20 % is forgiven: it is added to the
 * bound.
 */
export function verdictOf(what: string, { other, ours, again }: Rounds, most: number): Verdict {
  const mean = ours.map((cpu, round) => (cpu + (again[round] ?? cpu)) / 2);
  const differences = ratios(again, ours).map((ratio) => Math.abs(ratio - 1));
  const noise = quantile(differences, 0.75);
  const ratio = medianRatio(mean, other);
  const allowed = most + noise;
  return { what, ratio, most, noise, isKept: noise <= MAX_NOISE && ratio <= allowed };
}

function lineOf({ what, ratio, most, noise }: Verdict): string {
  const bound = `at most ${most} and the noise of ${noise.toFixed(2)}`;
  return `${what}: CPU as a multiple of the other's ${ratio.toFixed(2)}, ${bound}`;
}

function failureOf(verdict: Verdict): string {
  if (verdict.noise > MAX_NOISE)
    return `${lineOf(verdict)}: the same program differs too much from itself. Run the gate alone.`;
  return `${lineOf(verdict)}: it has become slower.`;
}
