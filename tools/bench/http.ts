// Compares the shipped server over HTTP with the least that Node can do, with Fastify, and with
// what most would write.
import { deepStrictEqual } from 'node:assert';
import {
  boundCell,
  type Effort,
  median,
  medianRatio,
  type Section,
  type Table,
} from './measure.ts';
import { cpuSamples, fastify, ours, type Peer, peer, Rotation, type Sample } from './servers.ts';
import { apiKey, type BenchRequest, type Row, rows } from './workload.ts';

const servers = {
  bare: peer('bare'),
  'Fastify raw': peer('fastify'),
  Fastify: fastify,
  Express: peer('express'),
  ours,
  'ours again': ours,
};
type Name = keyof typeof servers;
type Samples = Readonly<Record<Name, Sample[]>>;

const names = Object.keys(servers) as Name[];
const others = names.filter((name) => name !== 'ours');
const rowNames = Object.keys(rows) as Row[];

export async function http(effort: Effort): Promise<Section> {
  const measured = {} as Record<Row, Samples>;
  for (const row of rowNames) measured[row] = noSamples();
  // A process can be slower than another of the same program for as long as it lives.
  for (let launch = 0; launch < effort.launches; launch++) await addLaunch(measured, effort);
  return {
    chart: chartOf(measured),
    table: rowNames.map((row) => comparisonRow(row, measured[row])),
  };
}

function noSamples(): Samples {
  return { bare: [], 'Fastify raw': [], Fastify: [], Express: [], ours: [], 'ours again': [] };
}

/** Starts all servers, and adds what is measured of them. */
async function addLaunch(measured: Readonly<Record<Row, Samples>>, effort: Effort): Promise<void> {
  await using rotation = await Rotation.start(servers);
  await checkAnswers(rotation.peers);
  await rotation.warmUp(effort);
  const rounds = effort.rounds / effort.launches;
  for (const row of rowNames) {
    const samples = await rotation.measure(row, { ...effort, rounds });
    for (const name of names) measured[row][name].push(...samples[name]);
  }
}

/**
 * Throws if a server gives another status or body than ours, or if *Fastify* sends other
 * headers. Only *Fastify* has to send the headers of ours.
 */
async function checkAnswers(peers: Readonly<Record<Name, Peer>>): Promise<void> {
  for (const row of rowNames) {
    // Ten requests of *mixed* are of all its kinds.
    for (const request of rows[row].slice(0, 10)) await checkAnswer(row, request, peers);
  }
}

async function checkAnswer(
  row: Row,
  request: BenchRequest,
  peers: Readonly<Record<Name, Peer>>,
): Promise<void> {
  const expected = await fetchAnswer(peers.ours, request);
  for (const name of others) {
    const { headers, ...answer } = await fetchAnswer(peers[name], request);
    const where = `${row} of ${name}`;
    deepStrictEqual({ where, ...answer }, { where, status: expected.status, body: expected.body });
    if (name === 'Fastify')
      deepStrictEqual({ where, headers }, { where, headers: expected.headers });
  }
}

async function fetchAnswer({ origin }: Peer, { method, target, body }: BenchRequest) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const response = await fetch(origin + target, { method, headers, body: body ?? null });
  return {
    status: response.status,
    headers: [...response.headers.keys()],
    body: await response.json(),
  };
}

/** What ours needs for a request, and the CPU of each other server as a multiple of that. */
function comparisonRow(row: Row, samples: Samples): Table[number] {
  const medianOf = (what: keyof Sample) => median(samples.ours.map((sample) => sample[what]));
  const cells: Record<string, string | number> = {
    'one request': row,
    'CPU µs': medianOf('cpu'),
    'requests/s': Math.round(medianOf('perSecond')),
    'p50 ms': medianOf('p50'),
    'p99 ms': medianOf('p99'),
  };
  const ratioOf = (name: Name) => medianRatio(cpuSamples(samples[name]), cpuSamples(samples.ours));
  for (const name of others) cells[`${name} / ours`] = ratioOf(name);
  cells['bound of Fastify / ours'] = boundCell(ratioOf('Fastify'), { atLeast: 1 });
  return cells;
}

/** The bars are ours. The upper line is Fastify, and the lower line is bare. */
function chartOf(measured: Readonly<Record<Row, Samples>>): string {
  const medians = (name: Name) =>
    rowNames.map((row) => Math.round(median(cpuSamples(measured[row][name]))));
  const highest = Math.max(...medians('ours'), ...medians('Fastify'));
  return [
    'xychart',
    '  title "CPU time of a request"',
    `  x-axis [${rowNames.map((row) => `"${row}"`).join(', ')}]`,
    `  y-axis "µs" 0 --> ${highest}`,
    `  bar [${medians('ours')}]`,
    `  line [${medians('Fastify')}]`,
    `  line [${medians('bare')}]`,
  ].join('\n');
}
