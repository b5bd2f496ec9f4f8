// Compares the shipped server with others over HTTP: requests, and starts. The servers run in turns, each a process of its own.
import { deepStrictEqual } from 'node:assert';
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { openLowdbStore } from '@petstore/server';
import { root } from '../repository.ts';
import { connections, type Result, send } from './load.ts';
import { cores, inRounds, median, medianRatio, type Section, type Table, type Target, withScratch } from './measure.ts';
import { apiKey, basePath, fill, type Load, list, loads, pets, size } from './workload.ts';

const descriptions = {
  bare: '`node:http` with the same API: no validation, no log, pets in memory',
  ours: 'the shipped server: validation, log, metrics, durable store; keeps answers to repeated reads until the next write',
  fastify: 'Fastify 5 with JSON schemas for requests and responses, no log, pets in memory',
  'fastify-durable': 'the same with its log, on our durable store',
  plain: 'Express, express-openapi-validator and lowdb, as their documentation shows; not durable',
};
type Name = keyof typeof descriptions;

/** The lowest CPU time of bare divided by that of ours: as target, and as gate, which only a real loss fails. */
const bounds: Record<Load, readonly [target: number, floor: number]> = {
  'list 20': [0.9, 0.3],
  'list 100 filtered': [1.5, 0.6],
  get: [0.85, 0.25],
  create: [0.6, 0.2],
};
const all = Object.keys(loads) as Load[];

/** The results of a load in some rounds, with the microseconds of CPU time that a server used for each response. */
type Measure = (load: Load, rounds: number, milliseconds: number) => Promise<Record<Name, Measured[]>>;
type Measured = Result & { readonly cpu: number };

export async function http(): Promise<Section> {
  const names = Object.keys(descriptions) as Name[];
  const rounds = 7;
  const tables: Table[] = [names.map((server) => ({ server, 'what it is': descriptions[server] }))];
  const targets: Target[] = [];
  await withServers(names, async (measure) => {
    for (const load of all) {
      const measured = await measure(load, rounds, 500);
      const of = (name: Name, what: keyof Measured) => measured[name].map((each) => each[what]);
      const ratio = (name: Name, other: Name) => medianRatio(of(other, 'cpu'), of(name, 'cpu'));
      tables.push(
        names.map((name) => ({
          [load]: name,
          'requests/s': Math.round(median(of(name, 'perSecond'))),
          'p99 ms': median(of(name, 'p99')),
          'CPU µs': median(of(name, 'cpu')),
          'of bare': ratio(name, 'bare'),
        })),
      );
      targets.push([`${load}: of bare`, ratio('ours', 'bare'), '≥', bounds[load][0]]);
      targets.push([`${load}: of fastify-durable`, ratio('ours', 'fastify-durable'), '≥', 1]);
      targets.push([`${load}: p99/p50`, medianRatio(of('ours', 'p99'), of('ours', 'p50')), '≤', 3]);
    }
  });
  const how = `${connections} keep-alive connections send one request at a time to servers with the same ${size.toLocaleString('en-US')} pets: medians of ${rounds} rounds of 0.5 s. "Of bare" is the CPU time of bare for a request divided by that of the server, round by round: above 1, the server costs less.`;
  return { title: 'Requests over HTTP', how, tables, targets };
}

/** Throws if a ratio is below its floor in all tries: other load on the machine can only make the server look slower. */
export async function gate(): Promise<void> {
  await withServers(['bare', 'ours'], async (measure) => {
    for (const load of all) {
      const [, floor] = bounds[load];
      let ratio = 0;
      for (let tries = 0; tries < 4 && ratio < floor; tries++) {
        const { bare, ours } = await measure(load, 5, 200);
        const [least, most] = [bare, ours].map((results) => results.map(({ cpu }) => cpu));
        ratio = medianRatio(least, most);
        console.log(`${load}: ${ratio.toFixed(2)} of bare, at least ${floor}`);
      }
      if (ratio < floor) throw new Error(`'${load}' became slower: ${ratio.toFixed(2)} of bare, at least ${floor}.`);
    }
  });
}

/** Measures the time from the start of a process to its first response. */
export async function start(): Promise<Section> {
  return withScratch(async (scratch) => {
    const starting = async (name: Name) => {
      const folder = await newDataFolder(scratch, name);
      return async () => {
        const started = performance.now();
        const server = await startServer(name, folder, scratch);
        const milliseconds = performance.now() - started;
        const { rss } = await server.usage();
        await server.stop();
        return { milliseconds, rss };
      };
    };
    const subjects = { ours: await starting('ours'), 'fastify-durable': await starting('fastify-durable') };
    const rows = Object.entries(await inRounds(subjects, 7)).map(([server, all]) => ({
      server,
      ms: Math.round(median(all.map(({ milliseconds }) => milliseconds))),
      'resident MiB': Math.round(median(all.map(({ rss }) => rss)) / 2 ** 20),
    }));
    const how = `From the start of a process with ${size.toLocaleString('en-US')} pets to its first correct response: medians of 7 starts.`;
    return { title: 'Starting', how, tables: [rows], targets: [['ours, ms', rows[0]?.ms ?? Number.NaN, '≤', 350]] };
  });
}

async function withServers(names: readonly Name[], use: (measure: Measure) => Promise<void>): Promise<void> {
  await withScratch(async (scratch) => {
    const servers: [Name, Awaited<ReturnType<typeof startServer>>][] = [];
    try {
      for (const name of names)
        servers.push([name, await startServer(name, await newDataFolder(scratch, name), scratch)]);
      // The servers have the first core, the load generator the last one.
      pin(process.pid, cores - 1);
      await use((load, rounds, milliseconds) => {
        const subjects = servers.map(([name, { port, usage }]) => {
          const measure = async (round: number) => {
            const before = await usage();
            const result = await send(port, load, round < 0 ? 1500 : milliseconds);
            return { ...result, cpu: ((await usage()).cpu - before.cpu) / result.responses };
          };
          return [name, measure] as const;
        });
        return inRounds<Name, Measured>(Object.fromEntries(subjects) as Record<Name, never>, rounds);
      });
    } finally {
      await Promise.all(servers.map(([, server]) => server.stop()));
    }
  });
}

/** Makes a data folder of the shipped server with the pets. */
async function newDataFolder(scratch: string, name: string): Promise<string> {
  const folder = join(scratch, name);
  const store = await openLowdbStore(folder);
  await fill(store, size);
  await store.close();
  return folder;
}

/** Runs in every measured server: reports its CPU time in microseconds and its memory in bytes. */
const probe = `process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpu: user + system, rss: process.memoryUsage.rss() });
});
process.channel.unref();`;

/** Starts a server, and checks its first response. */
async function startServer(name: Name, folder: string, scratch: string) {
  const isOurs = name === 'ours';
  const script = isOurs ? join(root, 'apps/server/src/main.js') : join(import.meta.dirname, 'servers.ts');
  const settings = { PORT: '0', PETSTORE_DATA_DIR: folder, PETSTORE_API_KEYS: `bench=${apiKey}` };
  const child = fork(script, isOurs ? [] : [name, folder], {
    execArgv: ['--import', `data:text/javascript,${encodeURIComponent(probe)}`],
    env: { ...process.env, NODE_ENV: 'production', ...settings },
    stdio: ['ignore', openSync(join(scratch, `${name}.log`), 'a'), 'pipe', 'ipc'],
  });
  const port = await portOf(child);
  pin(child.pid ?? 0, 0);
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`http://127.0.0.1:${port}${basePath}${list.path}`, { headers });
  deepStrictEqual(await response.json(), pets().slice(0, 20), `${name} does not list the pets`);
  return {
    port,
    usage: async (): Promise<{ cpu: number; rss: number }> => {
      const answered = once(child, 'message');
      child.send('usage');
      return (await answered)[0];
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

/** The port that stderr names. The rest of it is read, because a full pipe would block the server. */
async function portOf(child: ChildProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let output = '';
  child.stderr?.on('data', (chunk) => {
    output += chunk;
    const [, port] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(output) ?? [];
    if (port) resolve(Number(port));
  });
  child.once('exit', () => reject(new Error(`A server ended: ${output}`)));
  return promise;
}

/** Keeps a process on one core, where that is possible. */
function pin(pid: number, core: number): void {
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `${core}`, `${pid}`]);
}
