/**
 * How much the shipped server does beside its likes, over HTTP: `node tools/bench/http/main.ts [--quick] [--only ours,bare]`.
 * Every server is a process of its own, and so is the load. They are asked in turns within one run.
 */
import { parseArgs } from 'node:util';
import { pinned } from '../process.ts';
import { rounded } from '../rounds.ts';
import { type Chart, print, type Section, type Target } from '../section.ts';
import { collection, size } from '../workload.ts';
import { wanted } from './bounds.ts';
import { type Contender, chosen, contenders } from './contenders.ts';
import { connections } from './load.ts';
import { type LoadName, loads } from './loads.ts';
import { measure, medianOf, type Rounds, shareOf, type Times, withServers } from './measure.ts';

/** Measures all loads on these servers. */
export async function http(quick: boolean, taking: readonly Contender[] = contenders): Promise<Section> {
  const times: Times = quick
    ? { rounds: 9, milliseconds: 250, warmUp: 1000 }
    : { rounds: 9, milliseconds: 1000, warmUp: 3000 };
  const measured = await withServers(taking, async (running, generator) => {
    const all = new Map<LoadName, Rounds>();
    for (const load of loads) all.set(load.name, await measure(load, running, generator, times));
    return all;
  });
  return {
    title: 'Requests over HTTP',
    how: [
      `${connections} kept-alive connections, each asking again as soon as it has its answer; every status is checked, and`,
      `each first body in whole. All servers hold the same ${size.toLocaleString('en-US')} ${collection} and run in turns within one run, in`,
      `${times.rounds} rounds of ${times.milliseconds / 1000} s; medians; ${pinned}. "Of bare" compares the CPU time`,
      "that the server's process used for each request, round by round: it is what stays the same on a busy machine.",
      'Above 1, a server costs less than the bare one.',
    ].join(' '),
    tables: [
      { rows: taking.map(({ name, about }) => ({ server: name, 'what it is': about })) },
      ...[...measured].map(([caption, rounds]) => ({ caption, rows: rowsOf(rounds) })),
    ],
    targets: [...measured].flatMap(([name, rounds]) => targetsOf(name, rounds)),
    chart: chartOf(measured),
  };
}

function rowsOf(rounds: Rounds) {
  return [...rounds.keys()].map((server) => ({
    server,
    'requests/s': Math.round(medianOf(rounds, server, 'perSecond')),
    'p50 ms': rounded(medianOf(rounds, server, 'p50')),
    'p99 ms': rounded(medianOf(rounds, server, 'p99')),
    'CPU µs a request': rounded(medianOf(rounds, server, 'cpu'), 1),
    'of bare': rounds.has('bare') ? readable(shareOf(rounds, server, 'bare')) : '-',
  }));
}

const readable = (share: number) => rounded(share, share < 0.1 ? 3 : 2);

/** Ahead of Fastify everywhere; in creates, of the one that stores them as safely. */
function targetsOf(load: LoadName, rounds: Rounds): Target[] {
  const rival = load === 'create' ? 'fastify-durable' : 'fastify';
  if (!rounds.has('ours') || !rounds.has('bare')) return [];
  const slowest = medianOf(rounds, 'ours', 'p99') / medianOf(rounds, 'ours', 'p50');
  return [
    { what: `${load}: of bare`, measured: shareOf(rounds, 'ours', 'bare'), kind: 'at least', bound: wanted[load] },
    ...(rounds.has(rival)
      ? [
          {
            what: `${load}: of ${rival}`,
            measured: shareOf(rounds, 'ours', rival),
            kind: 'at least',
            bound: 1,
          } as const,
        ]
      : []),
    { what: `${load}: p99, of p50`, measured: slowest, kind: 'at most', bound: 3 },
  ];
}

function chartOf(measured: ReadonlyMap<LoadName, Rounds>): Chart {
  return {
    title: 'What each server does for the same CPU time',
    axis: 'a bare node:http server is 1; longer is better',
    groups: [...measured].map(([name, rounds]) => ({
      name,
      bars: [...rounds.keys()].map((server) => ({ name: server, value: shareOf(rounds, server, 'bare') })),
    })),
  };
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } } });
  const only = values.only?.split(',') ?? (values.quick ? ['bare', 'ours'] : undefined);
  print(await http(values.quick, only && chosen(only)));
}
