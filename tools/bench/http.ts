// Compares the shipped server with others over HTTP: requests, and starts. The servers run in turns, each a process of its own.
import { deepStrictEqual } from 'node:assert';
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { openLowdbStore } from '@petstore/server';
import { root } from '../repository.ts';
import { connections, type Result, send } from './load.ts';
import { inRounds, median, medianRatio, type Section, type Target, withScratch } from './measure.ts';
import { apiKey, basePath, fill, type Load, list, loads, pets, size } from './workload.ts';

const descriptions = {
  bare: '`node:http` with the same API: no validation, no log, pets in memory',
  ours: 'the shipped server: validation, log, metrics, durable store; keeps answers to repeated reads until the next write',
  fastify: 'Fastify 5 with JSON schemas for requests and responses, no log, pets in memory',
  'fastify-durable': 'the same with its log, on our durable store',
  plain: 'Express, express-openapi-validator and lowdb, as their documentation shows; not durable',
};
type Name = keyof typeof descriptions;

/** The lowest CPU time of bare divided by that of ours, as target, and, where only a real loss gets, as gate. */
const bounds: Record<Load, readonly [target: number, floor: number]> = {
  'list 20': [0.9, 0.3],
  'list 100 filtered': [1.5, 0.6],
  get: [0.85, 0.25],
  create: [0.6, 0.2],
};

/** A result with the microseconds of CPU time that the server used for each response. */
type Measured = Result & { readonly cpu: number };

export async function http(): Promise<Section> {
  const names = Object.keys(descriptions) as Name[];
  const rounds = 7;
  const tables: Section['tables'][number][] = [names.map((server) => ({ server, 'what it is': descriptions[server] }))];
  const targets: Target[] = [];
  await withServers(names, async (measure) => {
    for (const load of Object.keys(loads) as Load[]) {
      const measured = await inRounds(names, rounds, (name, round) =>
        measure(name as Name, load, round < 0 ? 1500 : 500),
      );
      const of = (name: Name, what: keyof Measured) => measured[name]?.map((each) => each[what]) ?? [];
      tables.push(
        names.map((name) => ({
          [load]: name,
          'requests/s': Math.round(median(of(name, 'perSecond'))),
          'p99 ms': median(of(name, 'p99')),
          'CPU µs': median(of(name, 'cpu')),
          'of bare': medianRatio(of('bare', 'cpu'), of(name, 'cpu')),
        })),
      );
      const tail = median(of('ours', 'p99')) / median(of('ours', 'p50'));
      targets.push(
        [`${load}: of bare`, medianRatio(of('bare', 'cpu'), of('ours', 'cpu')), '≥', bounds[load][0]],
        [`${load}: of fastify-durable`, medianRatio(of('fastify-durable', 'cpu'), of('ours', 'cpu')), '≥', 1],
        [`${load}: p99/p50`, tail, '≤', 3],
      );
    }
  });
  const how = `${connections} keep-alive connections send one request at a time to servers with the same ${size.toLocaleString('en-US')} pets: medians of ${rounds} rounds of 0.5 s. "Of bare" is the CPU time of bare for a request divided by that of the server, round by round: above 1, the server costs less.`;
  return { title: 'Requests over HTTP', how, tables, targets };
}

/** Throws if a ratio is below its floor in all tries: other load on the machine can only make the server look slower. */
export async function gate(): Promise<void> {
  await withServers(['bare', 'ours'], async (measure) => {
    for (const load of Object.keys(loads) as Load[]) {
      const [, floor] = bounds[load];
      let ratio = 0;
      for (let tries = 0; tries < 4 && ratio < floor; tries++) {
        const { bare, ours } = await inRounds(
          ['bare', 'ours'],
          5,
          async (name) => (await measure(name as Name, load, 200)).cpu,
        );
        ratio = medianRatio(bare, ours);
        console.log(`${load}: ${ratio.toFixed(2)} of bare, at least ${floor}`);
      }
      if (ratio < floor)
        throw new Error(`'${load}' became slower: ${ratio.toFixed(2)} of a bare server; see ${import.meta.filename}`);
    }
  });
}

/** Measures the time from the start of a process to its first response. */
export async function start(): Promise<Section> {
  const names = ['ours', 'fastify-durable'] as const;
  return withScratch(async (scratch) => {
    const folders = {
      ours: await newDataFolder(scratch, 'ours'),
      'fastify-durable': await newDataFolder(scratch, 'fastify'),
    };
    const measured = await inRounds(names, 7, async (name) => {
      const started = performance.now();
      const server = await startServer(name as Name, folders[name as keyof typeof folders], scratch);
      const milliseconds = performance.now() - started;
      const { rss } = await server.usage();
      await server.stop();
      return { milliseconds, rss };
    });
    const rows = names.map((name) => ({
      server: name,
      ms: Math.round(median(measured[name]?.map((each) => each.milliseconds))),
      'resident MiB': Math.round(median(measured[name]?.map((each) => each.rss)) / 2 ** 20),
    }));
    const how = `From the start of a process with ${size.toLocaleString('en-US')} pets to its first correct response: medians of 7 starts.`;
    return { title: 'Starting', how, tables: [rows], targets: [['ours, ms', rows[0]?.ms ?? Number.NaN, '≤', 350]] };
  });
}

type Measure = (name: Name, load: Load, milliseconds: number) => Promise<Measured>;

async function withServers(names: readonly Name[], use: (measure: Measure) => Promise<void>): Promise<void> {
  await withScratch(async (scratch) => {
    const servers = new Map<Name, Awaited<ReturnType<typeof startServer>>>();
    try {
      for (const name of names) servers.set(name, await startServer(name, await newDataFolder(scratch, name), scratch));
      // The servers have the first core, the load generator the last one.
      pin(process.pid, 1);
      await use(async (name, load, milliseconds) => {
        const server = servers.get(name);
        if (!server) throw new Error(`${name} does not run.`);
        const before = await server.usage();
        const result = await send(server.port, load, milliseconds);
        return { ...result, cpu: ((await server.usage()).cpu - before.cpu) / result.responses };
      });
    } finally {
      await Promise.all([...servers.values()].map((server) => server.stop()));
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
  const [file = '', kind] = name.split('-');
  const script =
    name === 'ours' ? join(root, 'apps/server/src/main.js') : join(import.meta.dirname, 'servers', `${file}.ts`);
  const child = fork(script, name === 'ours' ? [] : [kind || name === 'plain' ? folder : ''], {
    execArgv: ['--import', `data:text/javascript,${encodeURIComponent(probe)}`],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PORT: '0',
      PETSTORE_DATA_DIR: folder,
      PETSTORE_API_KEYS: `bench=${apiKey}`,
    },
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
