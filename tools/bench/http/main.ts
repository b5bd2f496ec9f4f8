/**
 * Compares the shipped server with others over HTTP: `node tools/bench/http/main.ts [--quick] [--only ours,bare]`.
 * Every server is a process of its own, and so is the load generator. The servers run in turns.
 */
import { parseArgs } from 'node:util';
import { pinned } from '../process.ts';
import { rounded } from '../rounds.ts';
import { print, type Section, type Target } from '../section.ts';
import { collection, size } from '../workload.ts';
import { targetShares } from './bounds.ts';
import { connections } from './load.ts';
import { type LoadName, loads } from './loads.ts';
import { measure, medianOf, type Rounds, shareOf, sharesOfRuns, type Times, withServers } from './measure.ts';
import { type Subject, subjects, subjectsNamed } from './subjects.ts';
import { wrkGenerators } from './wrk.ts';

/** Measures all loads on these servers. */
export async function http(quick: boolean, selected: readonly Subject[] = subjects): Promise<Section> {
  const times: Times = quick
    ? { rounds: 9, milliseconds: 250, warmUp: 1000 }
    : { rounds: 9, milliseconds: 1000, warmUp: 3000 };
  const measured = await withServers(selected, async (running, generator, { scratch }) => {
    const all: MeasuredLoad[] = [];
    for (const source of [generator, ...wrkGenerators(scratch)]) {
      for (const load of loads) {
        const caption = source === generator ? load.name : `${load.name}, from ${source.name}`;
        all.push({ caption, load: load.name, rounds: await measure(load, running, source, times) });
      }
    }
    return all;
  });
  return {
    title: 'Requests over HTTP',
    how: [
      `${connections} keep-alive connections, each of which sends the next request when it has a response; every status and`,
      `each first body are checked. All servers hold the same ${size.toLocaleString('en-US')} ${collection} and run in turns within one run, in`,
      `${times.rounds} rounds of ${times.milliseconds / 1000} s; medians; ${pinned}. "Of bare" compares the user time`,
      "of the server's process for each request, round by round, without system time.",
      'Above 1, a server costs less than the bare one. In parentheses: the lowest and highest of three runs, which are the',
      `rounds in three parts. A "?" marks numbers whose runs differ by more than ${MAX_MOVE * 100} %.`,
    ].join(' '),
    tables: [
      { rows: selected.map(({ name, about }) => ({ server: name, 'what it is': about })) },
      ...measured.map(({ caption, rounds }) => ({ caption, rows: rowsOf(rounds) })),
    ],
    targets: measured.flatMap(targetsOf),
  };
}

/** A load by one of the generators. */
interface MeasuredLoad {
  caption: string;
  load: LoadName;
  rounds: Rounds;
}

/** A share whose runs differ by more than this part of its median is marked. */
const MAX_MOVE = 0.15;

/** The share with the range of three runs, and a mark if the range is too wide. */
function shareText(rounds: Rounds, server: string): string {
  const { share, least, most, isMoving } = spreadOf(rounds, server, 'bare');
  return `${readable(share)}${isMoving ? ' ?' : ''} (${readable(least)} to ${readable(most)})`;
}

function spreadOf(rounds: Rounds, server: string, other: string) {
  const runs = sharesOfRuns(rounds, server, other);
  const [least, most] = [Math.min(...runs), Math.max(...runs)];
  const share = shareOf(rounds, server, other, 'user');
  return { share, least, most, isMoving: most - least > MAX_MOVE * share };
}

function rowsOf(rounds: Rounds) {
  return [...rounds.keys()].map((server) => ({
    server,
    'requests/s': Math.round(medianOf(rounds, server, 'perSecond')),
    'p50 ms': rounded(medianOf(rounds, server, 'p50')),
    'p99 ms': rounded(medianOf(rounds, server, 'p99')),
    'user µs': rounded(medianOf(rounds, server, 'user'), 1),
    'system µs': rounded(medianOf(rounds, server, 'cpu') - medianOf(rounds, server, 'user'), 1),
    'of bare': rounds.has('bare') ? shareText(rounds, server) : '-',
  }));
}

const readable = (share: number) => rounded(share, share < 0.1 ? 3 : 2);

/** The rival is Fastify; for creates, Fastify on our durable store. */
function targetsOf({ caption, load, rounds }: MeasuredLoad): Target[] {
  const rival = load === 'create' ? 'fastify-durable' : 'fastify';
  if (!rounds.has('ours') || !rounds.has('bare')) return [];
  const slowest = medianOf(rounds, 'ours', 'p99') / medianOf(rounds, 'ours', 'p50');
  const atLeast = (other: string, bound: number): Target => {
    const { share, isMoving } = spreadOf(rounds, 'ours', other);
    return { what: `${caption}: of ${other}${isMoving ? ' ?' : ''}`, measured: share, kind: 'at least', bound };
  };
  return [
    atLeast('bare', targetShares[load]),
    ...(rounds.has(rival) ? [atLeast(rival, 1)] : []),
    { what: `${caption}: p99, of p50`, measured: slowest, kind: 'at most', bound: 3 },
  ];
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } } });
  const only = values.only?.split(',') ?? (values.quick ? ['bare', 'ours'] : undefined);
  print(await http(values.quick, only && subjectsNamed(only)));
}
