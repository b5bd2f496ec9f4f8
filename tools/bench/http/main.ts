// Compares the shipped server with others over HTTP. The servers run in turns.
import { median, rounded } from '../measure.ts';
import { atLeast, atMost, type Section, type Target } from '../section.ts';
import { collection, size } from '../workload.ts';
import { connections, wrkGenerator } from './generators.ts';
import { type LoadName, loads } from './loads.ts';
import {
  bare,
  fastify,
  fastifyDurable,
  medianOf,
  ours,
  QUICK,
  type Rounds,
  ratiosOf,
  rowsOf,
  withServers,
} from './servers.ts';

const subjects = [bare, ours, fastify, fastifyDurable];

const descriptions = {
  bare: '`node:http` with the same API: no validation, no log, documents in memory',
  ours: 'the shipped server: validation, log, metrics, durable store; keeps answers to repeated reads until the next write',
  fastify: 'Fastify 5 with JSON schemas for requests and responses, no log, documents in memory',
  'fastify-durable': 'the same with its log, on our durable store',
};

/** The lowest accepted user time of a bare server divided by that of ours, which has log, metrics and a durable store. */
const bareTargets: Record<LoadName, number> = {
  'list 20': 0.9,
  'list 100 filtered': 1.5,
  get: 0.85,
  create: 0.7,
};

/** A ratio is marked if its medians over thirds of the rounds differ by more than this share of it. */
const MAX_SPREAD = 0.15;

/** Measures all loads on all servers, and confirms the targets with wrk if it is installed. */
export async function http(quick: boolean): Promise<Section> {
  const times = quick ? QUICK : { rounds: 9, milliseconds: 1000, warmUp: 3000 };
  const tables: Section['tables'] = [
    { rows: Object.entries(descriptions).map(([server, about]) => ({ server, 'what it is': about })) },
  ];
  const targets: Target[] = [];
  await withServers(subjects, async (measure, scratch) => {
    const wrk = wrkGenerator(scratch);
    for (const load of loads) {
      const rounds = await measure(load, times);
      const byWrk = wrk && targetsOf(load.name, await measure(load, times, wrk));
      const withWrk = (i: number) => byWrk && { 'by wrk': byWrk[i]?.measured ?? '' };
      targets.push(...targetsOf(load.name, rounds).map((target, i) => ({ ...target, ...withWrk(i) })));
      tables.push({ caption: load.name, rows: withBareRatios(rounds) });
    }
  });
  return {
    title: 'Requests over HTTP',
    how: [
      `${connections} keep-alive connections send one request at a time to servers with the same ${size.toLocaleString('en-US')} ${collection}, which run in turns:`,
      `medians of ${times.rounds} rounds of ${times.milliseconds / 1000} s. "Of bare" is the user time of bare divided by that of the server, round by round: above 1, the server costs less.`,
      `In parentheses: the lowest and highest median of the three thirds of the rounds; "?" marks more than ${MAX_SPREAD * 100} % between them.`,
    ].join(' '),
    tables,
    targets,
  };
}

function withBareRatios(rounds: Rounds) {
  return rowsOf(rounds).map((row) => {
    const { ratio, lowest, highest, isUnstable } = speedOf(rounds, row.server, 'bare');
    const text = `${rounded(ratio)}${isUnstable ? ' ?' : ''} (${rounded(lowest)}–${rounded(highest)})`;
    return { ...row, 'of bare': row.server === 'bare' ? '' : text };
  });
}

/** The targets of one load: against bare, against Fastify on our durable store, and of p99/p50. */
function targetsOf(load: LoadName, rounds: Rounds): Target[] {
  const speedTarget = (other: string, bound: number) => {
    const { ratio, isUnstable } = speedOf(rounds, 'ours', other);
    const target = atLeast(`${load}: of ${other}`, ratio, bound);
    return isUnstable ? { ...target, measured: `${target.measured} ?` } : target;
  };
  const tailRatio = medianOf(rounds, 'ours', 'p99') / medianOf(rounds, 'ours', 'p50');
  return [
    speedTarget('bare', bareTargets[load]),
    speedTarget('fastify-durable', 1),
    atMost(`${load}: p99/p50`, tailRatio, 3),
  ];
}

/**
 * The speed of a server relative to another: the user time of the other divided by its own. Returns the median over the rounds,
 * and the lowest and highest median of a third of the rounds.
 */
export function speedOf(rounds: Rounds, server: string, other: string) {
  const ratios = ratiosOf(rounds, 'user', other, server);
  const length = ratios.length / 3;
  const thirds = [0, 1, 2].map((i) => median(ratios.slice(i * length, (i + 1) * length)));
  const [ratio, lowest, highest] = [median(ratios), Math.min(...thirds), Math.max(...thirds)];
  return { ratio, lowest, highest, isUnstable: highest - lowest > MAX_SPREAD * ratio };
}
