/**
 * Compares a server with one process and with several workers on one PostgreSQL, under wrk:
 * `node tools/bench/postgres/workers.ts [workers] [rounds]`. Where load, database and servers share the cores, compare the
 * CPU time of the server's processes and how evenly the workers use it, not the rates.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { openPostgresStore } from '@petstore/server';
import { childrenOf } from '@petstore/testing/machine';
import { Cluster } from '@petstore/testing/postgres/cluster';
import { findPrograms } from '@petstore/testing/postgres/programs';
import { apiKey, startServer } from '@petstore/testing/server';
import { fill, withScratch } from '../fixtures.ts';
import { inRepository } from '../process.ts';
import { inRounds, median, medianRatio, rounded } from '../rounds.ts';
import { list } from '../workload.ts';

const [workers = 2, rounds = 5] = process.argv.slice(2).map(Number);
const seconds = 3;
const connections = 256;
/** Database connections of all workers in total: waiting reads of one process share round trips. */
const pool = 12;
const loads: [name: string, path: string, headers: string[]][] = [
  // Mostly the server's own work.
  ['404', '/none', []],
  ['list 20', `${list.path}?${list.pagination.limit}=20`, []],
  ['get', `${list.path}/7`, []],
  ['get, a connection each', `${list.path}/7`, ['-H', 'Connection: close']],
];

interface Measured {
  rate: number;
  /** CPU microseconds for each request, of all processes of the server. */
  cpu: number;
  /** The same of the primary alone. */
  primary: number;
  /** The CPU time of the least busy worker, divided by that of the busiest. */
  evenness: number;
}

await withScratch(async (scratch) => {
  const programs = findPrograms(scratch);
  if (!programs) throw new Error('There is no PostgreSQL here.');
  const cluster = await Cluster.create(programs, 'max_connections = 200\nshared_buffers = 256MB');
  try {
    await cluster.start();
    const store = await openPostgresStore(cluster.url());
    await fill(store, 1_000);
    await store.close();
    for (const load of loads) await compare(cluster.url(), load);
  } finally {
    await cluster.remove();
  }
});

async function compare(url: string, [name, path, headers]: (typeof loads)[number]): Promise<void> {
  const start = (count: number) =>
    startServer(inRepository('apps/server/src/main.js'), {
      DATABASE_URL: url,
      PETSTORE_WORKERS: String(count),
      PETSTORE_DATABASE_POOL: String(Math.max(2, Math.round(pool / count))),
      // Connections are slow on a saturated machine.
      PETSTORE_DATABASE_CONNECT_TIMEOUT: '60',
    });
  const servers = [await start(1), await start(workers)];
  const measured = await inRounds(servers, rounds, async ({ baseUrl, child }): Promise<Measured> => {
    const pid = child.pid ?? 0;
    const pids = [pid, ...(await childrenOf(pid))];
    const before = pids.map(cpuTime);
    const requests = await wrk(baseUrl + path, headers);
    const [primary = 0, ...others] = pids.map((one, i) => cpuTime(one) - (before[i] ?? 0));
    const all = primary + others.reduce((sum, one) => sum + one, 0);
    const evenness = others.length > 0 ? Math.min(...others) / Math.max(...others) : 1;
    return { rate: requests / seconds, cpu: all / requests, primary: primary / requests, evenness };
  });
  for (const server of servers) await server.kill('SIGTERM');
  const [one = [], several = []] = servers.map((server) => measured.get(server) ?? []);
  const of = (all: readonly Measured[], key: keyof Measured) => all.map((each) => each[key]);
  console.log(
    `${name}: ${workers} workers reach ${rounded(medianRatio(of(several, 'rate'), of(one, 'rate')))} of one process ` +
      `(${Math.round(median(of(several, 'rate')))} and ${Math.round(median(of(one, 'rate')))} requests a second); ` +
      `CPU for each request ${rounded(medianRatio(of(several, 'cpu'), of(one, 'cpu')))} of one process, ` +
      `${Math.round(median(of(several, 'primary')))} of ${Math.round(median(of(several, 'cpu')))} µs in the primary; ` +
      `the least busy worker had ${rounded(median(of(several, 'evenness')))} of the busiest`,
  );
}

/** Sends requests, and returns the number of responses. */
async function wrk(url: string, headers: readonly string[]): Promise<number> {
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '-H', `Authorization: Bearer ${apiKey}`, ...headers, url];
  const { stdout } = await promisify(execFile)('wrk', args);
  if (/Non-2xx/.test(stdout) && !url.endsWith('/none')) throw new Error(stdout);
  return Number(/(\d+) requests in/.exec(stdout)?.[1]);
}

/** The user and system time of a process in microseconds; a tick of Linux is 10 ms. */
function cpuTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [, , , , , , , , , , , user, system] = stat.slice(stat.lastIndexOf(')') + 1).split(' ');
  return (Number(user) + Number(system)) * 10_000;
}
