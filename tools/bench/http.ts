// Compares the shipped server over HTTP with the least that Node can do, with Fastify, and with what
// most would write.
import { deepStrictEqual } from 'node:assert';
import { type Effort, median, medianRatio, type Part, type Table, type Target } from './measure.ts';
import { fastify, ours, type Peer, peer } from './peer.ts';
import { apiKey } from './pets.ts';
import { type BenchRequest, type Row, rows } from './requests.ts';
import { Rotation, type Sample } from './rotation.ts';

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

export async function http(effort: Effort): Promise<Part> {
  const measured = {} as Record<Row, Samples>;
  for (const row of rowNames) measured[row] = noSamples();
  // A process can be slower than another of the same program for as long as it lives.
  for (let launch = 0; launch < effort.launches; launch++) await addLaunch(measured, effort);
  return {
    chart: chartOf(measured),
    tables: [
      rowNames.map((row) => comparisonRow(row, measured[row])),
      ...rowNames.map((row) => tableOf(row, measured[row])),
    ],
    targets: [...rowNames.map((row) => cpuTarget(row, measured[row])), tailTarget(measured.create)],
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
 * Throws if a server gives another status or body than ours, or if Fastify with our promises sends
 * other headers. The other servers do not promise the headers.
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
  const expected = await answerOf(peers.ours, request);
  for (const name of others) {
    const { headers, ...answer } = await answerOf(peers[name], request);
    const where = `${row} of ${name}`;
    deepStrictEqual({ where, ...answer }, { where, status: expected.status, body: expected.body });
    if (name === 'Fastify')
      deepStrictEqual({ where, headers }, { where, headers: expected.headers });
  }
}

async function answerOf({ origin }: Peer, { method, target, body }: BenchRequest) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const response = await fetch(origin + target, { method, headers, body: body ?? null });
  return {
    status: response.status,
    headers: [...response.headers.keys()],
    body: await response.json(),
  };
}

function cpuOf(samples: readonly Sample[]): number[] {
  return samples.map(({ cpu }) => cpu);
}

function leastCpu(samples: readonly Sample[]): number {
  return Math.min(...cpuOf(samples));
}

/**
 * The CPU of each server as a multiple of ours: by the medians of the rounds, and by the best
 * rounds.
 */
function comparisonRow(row: Row, samples: Samples): Table[number] {
  const cells: Record<string, string> = { 'CPU / ours, medians and minima': row };
  for (const name of others) {
    const byMedians = medianRatio(cpuOf(samples[name]), cpuOf(samples.ours));
    const byMinima = leastCpu(samples[name]) / leastCpu(samples.ours);
    cells[name] = `${byMedians.toFixed(2)} / ${byMinima.toFixed(2)}`;
  }
  return cells;
}

function tableOf(row: Row, samples: Samples): Table {
  return names.map((name) => {
    const medianOf = (what: keyof Sample) => median(samples[name].map((sample) => sample[what]));
    return {
      [row]: name,
      'CPU µs': medianOf('cpu'),
      user: medianOf('user'),
      system: medianOf('system'),
      'least CPU µs': leastCpu(samples[name]),
      'requests/s': Math.round(medianOf('perSecond')),
      'p50 ms': medianOf('p50'),
      'p99 ms': medianOf('p99'),
    };
  });
}

function cpuTarget(row: Row, samples: Samples): Target {
  const measured = medianRatio(cpuOf(samples.Fastify), cpuOf(samples.ours));
  return { name: `${row}: CPU of Fastify / ours`, measured, atLeast: 1 };
}

/**
 * How much longer the slowest creates take than the usual ones, beside a server that does nothing
 * but append and sync.
 */
function tailTarget(samples: Samples): Target {
  const tails = (name: Name) => samples[name].map(({ p50, p99 }) => p99 / p50);
  const measured = median(tails('ours')) / median(tails('bare'));
  return { name: 'create: p99/p50 of ours / of bare', measured, atMost: 2 };
}

/** The bars are ours. The upper line is Fastify, and the lower line is bare. */
function chartOf(measured: Readonly<Record<Row, Samples>>): string {
  const medians = (name: Name) =>
    rowNames.map((row) => Math.round(median(cpuOf(measured[row][name]))));
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
