// Compares the shipped server over HTTP with the least that Node can do, with Fastify, and with what most would write.
import { deepStrictEqual } from 'node:assert';
import {
  atLeast,
  atMost,
  type Effort,
  median,
  medianRatio,
  type Section,
  type Table,
  type Target,
} from './measure.ts';
import { ourServer, Peer, peerFile, type Shot } from './peer.ts';
import { apiKey, size } from './pets.ts';
import { type BenchRequest, type Row, rows } from './requests.ts';
import { Rotation, type StartPeer } from './rotation.ts';

export const startOurs: StartPeer = (folder) => Peer.start(ourServer, folder);
export const startFastify: StartPeer = (folder) =>
  Peer.start(peerFile('fastify'), folder, [folder, 'promises']);

const servers = {
  bare: (folder) => Peer.start(peerFile('bare'), folder, [folder]),
  'Fastify raw': (folder) => Peer.start(peerFile('fastify'), folder, [folder, 'raw']),
  Fastify: startFastify,
  Express: (folder) => Peer.start(peerFile('express'), folder, [folder]),
  ours: startOurs,
  'ours again': startOurs,
} satisfies Record<string, StartPeer>;
type Name = keyof typeof servers;
type Shots = Readonly<Record<Name, readonly Shot[]>>;

const names = Object.keys(servers) as Name[];
const rowNames = Object.keys(rows) as Row[];

const descriptions: Readonly<Record<Name, string>> = {
  bare: 'Bare `node:http` with pets as text in memory, creates appended to a file and synced together. It is the least that a durable server of Node costs: no validation, log or metrics.',
  'Fastify raw':
    'Fastify on our durable store with its own log and with JSON schemas of the spec. It sends the text of the store as it is, so it does not print JSON that exists already. It promises less than ours.',
  Fastify:
    "The same with what ours promises: `ETag`, `Link`, request identifier, metrics, one line of log with the same properties by pino's asynchronous destination. It sends the same headers as ours.",
  Express:
    'Express with express-openapi-validator and lowdb as their READMEs show them. It shows what the libraries cost without our work. It promises the least: no log, no metrics, and a create is answered before the disk has it.',
  ours: 'The shipped server, started as a user starts it, with default settings.',
  'ours again': 'A second process of the same server. Its difference from the first is noise.',
};

export async function http(effort: Effort): Promise<Section> {
  await using rotation = await Rotation.start(servers);
  await checkAnswers(rotation.peers);
  const measured = {} as Record<Row, Shots>;
  for (const row of rowNames) measured[row] = await rotation.measure(row, effort);
  return {
    title: 'Requests over HTTP',
    comparisons: [
      `All servers hold the same ${size.toLocaleString('en-US')} pets, and get the same requests over 64 keep-alive connections.`,
      'They run in turns, so that other load on the machine affects all alike; the load generator is a process of its own, and has a core of its own.',
      'All write to the same disk; what they log goes to `/dev/null`.',
      'The bench first checks that all give the same statuses and bodies.',
      '*mixed* is 10 % creates, 30 % first pages with a filter, 20 % later pages, 40 % single pets.',
      `CPU is that of the server process for each request, the median of ${effort.rounds} rounds; the least is that of the best round.`,
    ],
    chart: chartOf(measured),
    tables: [
      names.map((server) => ({
        server,
        'what it is, and why the comparison is fair': descriptions[server],
      })),
      rowNames.map((row) => comparisonOf(row, measured[row])),
      ...rowNames.map((row) => tableOf(row, measured[row])),
    ],
    targets: [...rowNames.map((row) => promiseOf(row, measured[row])), tailOf(measured.create)],
  };
}

/** Throws if a server gives another answer than ours, or if Fastify with our promises sends other headers. */
async function checkAnswers(peers: Readonly<Record<Name, Peer>>): Promise<void> {
  for (const [row, [request]] of Object.entries<readonly BenchRequest[]>(rows)) {
    const ours = await answerOf(peers.ours, request);
    for (const name of names.filter((each) => each !== 'ours')) {
      const theirs = await answerOf(peers[name], request);
      const headers = name === 'Fastify' ? theirs.headers : ours.headers;
      deepStrictEqual(
        { ...theirs, headers },
        ours,
        `${name} does not answer '${row}' as ours does`,
      );
    }
  }
}

async function answerOf(peer: Peer, request: BenchRequest | undefined) {
  const { method = 'GET', target = '', body = null } = request ?? {};
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const response = await fetch(peer.origin + target, { method, headers, body });
  return {
    status: response.status,
    headers: [...response.headers.keys()],
    body: await response.json(),
  };
}

function cpuOf(shots: readonly Shot[]): number[] {
  return shots.map(({ cpu }) => cpu);
}

function leastCpu(shots: readonly Shot[]): number {
  return Math.min(...cpuOf(shots));
}

/** The CPU of each server as a multiple of ours: by the medians of the rounds, and by the best rounds. */
function comparisonOf(row: Row, shots: Shots): Table[number] {
  const cells: Record<string, string> = { 'CPU / ours, medians and minima': row };
  for (const name of names) {
    if (name === 'ours') continue;
    const byMedians = medianRatio(cpuOf(shots[name]), cpuOf(shots.ours));
    const byMinima = leastCpu(shots[name]) / leastCpu(shots.ours);
    cells[name] = `${byMedians.toFixed(2)} / ${byMinima.toFixed(2)}`;
  }
  return cells;
}

function tableOf(row: Row, shots: Shots): Table {
  return names.map((name) => {
    const medianOf = (what: keyof Shot) => median(shots[name].map((shot) => shot[what]));
    return {
      [row]: name,
      'CPU µs': medianOf('cpu'),
      user: medianOf('user'),
      system: medianOf('system'),
      'least CPU µs': leastCpu(shots[name]),
      'requests/s': Math.round(medianOf('perSecond')),
      'p50 ms': medianOf('p50'),
      'p99 ms': medianOf('p99'),
    };
  });
}

function promiseOf(row: Row, shots: Shots): Target {
  const measured = medianRatio(cpuOf(shots.Fastify), cpuOf(shots.ours));
  return atLeast(`${row}: CPU of Fastify / ours`, measured, 1);
}

/** How much longer the slowest creates take than the usual ones, beside a server that does nothing but append and sync. */
function tailOf(shots: Shots): Target {
  const tails = (name: Name) => shots[name].map(({ p50, p99 }) => p99 / p50);
  const measured = median(tails('ours')) / median(tails('bare'));
  return atMost('create: p99/p50 of ours / of bare', measured, 2);
}

function chartOf(measured: Readonly<Record<Row, Shots>>): string {
  const series = (name: Name) =>
    rowNames.map((row) => median(cpuOf(measured[row][name])).toFixed(1)).join(', ');
  return [
    'xychart',
    '  title "CPU µs of a request: bars ours, upper line Fastify, lower line bare node:http"',
    `  x-axis [${rowNames.map((row) => `"${row}"`).join(', ')}]`,
    '  y-axis "µs"',
    `  bar [${series('ours')}]`,
    `  line [${series('Fastify')}]`,
    `  line [${series('bare')}]`,
  ].join('\n');
}
