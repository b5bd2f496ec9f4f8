// Compares the shipped server with others over HTTP. The servers run in turns.
import { median, rounded } from '../measure.ts';
import { atLeast, atMost, type Section, type Target } from '../section.ts';
import { collection, size } from '../workload.ts';
import { connections, wrkGenerator } from './generators.ts';
import { type LoadName, loads } from './loads.ts';
import {
  bare,
  every,
  fastify,
  fastifyDurable,
  medianOf,
  ours,
  QUICK,
  type Rounds,
  rowsOf,
  shareOf,
  withServers,
} from './servers.ts';

const subjects = [bare, ours, fastify, fastifyDurable];

const descriptions = {
  bare: '`node:http` with the same API: no validation, no log, documents in memory',
  ours: 'the shipped server: validation, log, metrics, durable store; caches repeated reads between two writes',
  fastify: 'Fastify 5 with JSON schemas for requests and responses, no log, documents in memory',
  'fastify-durable': 'the same on our durable store',
};

/** The targets: the user time of a bare server divided by ours, with log, metrics and a durable store. Above 1, ours costs less. */
const targetShares: Record<LoadName, number> = {
  'list 20': 0.9,
  'list 100 filtered': 1.5,
  get: 0.85,
  create: 0.7,
};

/** A share whose thirds differ by more than this part of it is marked. */
const MAX_SPREAD = 0.15;

/** The rounds of a load by our own generator, and by wrk if it is installed. */
interface MeasuredLoad {
  load: LoadName;
  rounds: Rounds;
  byWrk: Rounds | undefined;
}

/** Measures all loads on all servers. */
export async function http(quick: boolean): Promise<Section> {
  const times = quick ? QUICK : { rounds: 9, milliseconds: 1000, warmUp: 3000 };
  const byLoad = await withServers(subjects, async (measure, scratch) => {
    const wrk = wrkGenerator(scratch);
    const all: MeasuredLoad[] = [];
    for (const load of loads) {
      const rounds = await measure(load, times);
      all.push({ load: load.name, rounds, byWrk: wrk && (await measure(load, times, wrk)) });
    }
    return all;
  });
  return {
    title: 'Requests over HTTP',
    how: [
      `${connections} keep-alive connections send one request at a time to servers with the same ${size.toLocaleString('en-US')} ${collection}, which run in turns:`,
      `medians of ${times.rounds} rounds of ${times.milliseconds / 1000} s. "Of bare" compares user time round by round: above 1, a server costs less than bare.`,
      `In parentheses are the lowest and highest median of a third of the rounds; "?" marks more than ${MAX_SPREAD * 100} % between them.`,
    ].join(' '),
    tables: [
      { rows: Object.entries(descriptions).map(([server, about]) => ({ server, 'what it is': about })) },
      ...byLoad.map(({ load, rounds }) => ({ caption: load, rows: withShares(rounds) })),
    ],
    targets: byLoad.flatMap(confirmedTargets),
  };
}

function withShares(rounds: Rounds) {
  return rowsOf(rounds).map((row) => {
    const { share, lowest, highest, isUnstable } = spreadOf(rounds, row.server, 'bare');
    const text = `${rounded(share)}${isUnstable ? ' ?' : ''} (${rounded(lowest)}–${rounded(highest)})`;
    return { ...row, 'of bare': row.server === 'bare' ? '' : text };
  });
}

/** The targets of a load by our generator, with a column for wrk, which confirms them. */
function confirmedTargets({ load, rounds, byWrk }: MeasuredLoad): Target[] {
  const confirmed = byWrk && targetsOf(load, byWrk);
  return targetsOf(load, rounds).map((target, i) => ({
    ...target,
    ...(confirmed && { 'by wrk': confirmed[i]?.measured ?? '' }),
  }));
}

/** The targets of one load: against bare, against Fastify (for creates, on our durable store), and of p99/p50. */
function targetsOf(load: LoadName, rounds: Rounds): Target[] {
  const rival = load === 'create' ? 'fastify-durable' : 'fastify';
  const ofOther = (other: string, bound: number) => {
    const { share, isUnstable } = spreadOf(rounds, 'ours', other);
    const target = atLeast(`${load}: of ${other}`, share, bound);
    return isUnstable ? { ...target, measured: `${target.measured} ?` } : target;
  };
  const slowest = medianOf(rounds, 'ours', 'p99') / medianOf(rounds, 'ours', 'p50');
  return [ofOther('bare', targetShares[load]), ofOther(rival, 1), atMost(`${load}: p99/p50`, slowest, 3)];
}

/** The share by user time, and the lowest and highest median of a third of the rounds. */
export function spreadOf(rounds: Rounds, server: string, other: string) {
  const [own, others] = [every(rounds, server, 'user'), every(rounds, other, 'user')];
  const ratios = own.map((user, round) => (others[round] ?? Number.NaN) / user);
  const length = ratios.length / 3;
  const thirds = [0, 1, 2].map((i) => median(ratios.slice(i * length, (i + 1) * length)));
  const [share, lowest, highest] = [shareOf(rounds, server, other, 'user'), Math.min(...thirds), Math.max(...thirds)];
  return { share, lowest, highest, isUnstable: highest - lowest > MAX_SPREAD * share };
}
