// Compares the shipped server with Fastify over HTTP: requests, and starts. The servers run in turns, each a process of its own.
import { deepStrictEqual } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { runServer } from '@petstore/testing/server';
import { root } from '../repository.ts';
import {
  apiKey,
  basePath,
  connections,
  filledStore,
  type Load,
  list,
  loads,
  pets,
  send,
  size,
} from './load.ts';
import {
  cores,
  inRounds,
  median,
  medianRatio,
  newScratch,
  type Section,
  type Table,
  type Target,
} from './measure.ts';

const descriptions = {
  ours: 'the shipped server: validation, log, metrics, durable store; keeps answers to repeated reads until the next write',
  fastify:
    'Fastify 5 with JSON schemas for requests and responses and its log, on our durable store',
};
type Name = keyof typeof descriptions;

/** The gate of the CPU time of fastify divided by that of ours. Some runs of the same server cost a third more, so only a real loss fails it. */
const floor = 0.5;
const names = Object.keys(descriptions) as Name[];
const all = Object.keys(loads) as Load[];

type Server = Awaited<ReturnType<typeof startServer>>;
/** The result of a load, with the microseconds of CPU time that the server used for each response. */
type Measured = Awaited<ReturnType<typeof send>> & { readonly cpu: number };
type Measure = (
  load: Load,
  rounds: number,
  milliseconds: number,
) => Promise<Record<Name, Measured[]>>;

export async function http(): Promise<Section> {
  const rounds = 7;
  const tables: Table[] = [names.map((server) => ({ server, 'what it is': descriptions[server] }))];
  const targets: Target[] = [];
  await withServers(async (measure) => {
    for (const load of all) {
      const measured = await measure(load, rounds, 500);
      const of = (name: Name, what: keyof Measured) => measured[name].map((each) => each[what]);
      const rows = names.map((name) => ({
        [load]: name,
        'requests/s': Math.round(median(of(name, 'perSecond'))),
        'p99 ms': median(of(name, 'p99')),
        'CPU µs': median(of(name, 'cpu')),
      }));
      tables.push(rows);
      targets.push([
        `${load}: CPU of fastify / ours`,
        medianRatio(of('fastify', 'cpu'), of('ours', 'cpu')),
        '≥',
        1,
      ]);
      targets.push([`${load}: p99/p50`, medianRatio(of('ours', 'p99'), of('ours', 'p50')), '≤', 3]);
    }
  });
  const how = `${connections} keep-alive connections send one request at a time to servers with the same ${size.toLocaleString('en-US')} pets: medians of ${rounds} rounds of 0.5 s.`;
  return { title: 'Requests over HTTP', how, tables, targets };
}

/** Throws if a ratio is below its floor in all tries: other load on the machine can only make the server look slower. */
export async function gate(): Promise<void> {
  await withServers(async (measure) => {
    for (const load of all) {
      let ratio = 0;
      for (let tries = 0; tries < 4 && ratio < floor; tries++) {
        const { fastify, ours } = await measure(load, 5, 200);
        const [theirs, own] = [fastify, ours].map((results) => results.map(({ cpu }) => cpu));
        ratio = medianRatio(theirs, own);
        console.log(`${load}: CPU of fastify / ours ${ratio.toFixed(2)}, at least ${floor}`);
      }
      if (ratio < floor)
        throw new Error(
          `'${load}' became slower: CPU of fastify / ours ${ratio.toFixed(2)}, at least ${floor}.`,
        );
    }
  });
}

/** Measures the time from the start of a process to its first response. */
export async function start(): Promise<Section> {
  using scratch = newScratch();
  const starting = (name: Name) => async () => {
    const { milliseconds, usage, stop } = await startServer(name, scratch.path);
    const { rss } = await usage();
    await stop();
    return { milliseconds, rss };
  };
  const subjects = { ours: starting('ours'), fastify: starting('fastify') };
  for (const name of Object.keys(subjects))
    await (await filledStore(join(scratch.path, name), size)).close();
  const rows = Object.entries(await inRounds(subjects, 7)).map(([server, all]) => ({
    server,
    ms: Math.round(median(all.map(({ milliseconds }) => milliseconds))),
    'resident MiB': Math.round(median(all.map(({ rss }) => rss)) / 2 ** 20),
  }));
  const how = `From the start of a process with ${size.toLocaleString('en-US')} pets to its first correct response: medians of 7 starts.`;
  return {
    title: 'Starting',
    how,
    tables: [rows],
    targets: [['ours, ms', rows[0]?.ms ?? Number.NaN, '≤', 350]],
  };
}

async function withServers(use: (measure: Measure) => Promise<void>): Promise<void> {
  using scratch = newScratch();
  await using running = new AsyncDisposableStack();
  const servers: [Name, Server][] = [];
  for (const name of names) {
    await (await filledStore(join(scratch.path, name), size)).close();
    const server = await startServer(name, scratch.path);
    running.defer(server.stop);
    servers.push([name, server]);
  }
  // The servers have the first core, the load generator the last one.
  pin(process.pid, cores - 1);
  await use((load, rounds, milliseconds) => {
    const subjects = servers.map(([name, { port, usage }]) => {
      const measure = async (round: number): Promise<Measured> => {
        const before = await usage();
        const result = await send(port, load, round < 0 ? 1500 : milliseconds);
        return { ...result, cpu: ((await usage()).cpu - before.cpu) / result.responses };
      };
      return [name, measure];
    });
    return inRounds<Name, Measured>(Object.fromEntries(subjects), rounds);
  });
}

/** Runs in every measured server: reports its CPU time in microseconds and its memory in bytes. */
const probe = `process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpu: user + system, rss: process.memoryUsage.rss() });
});
process.channel.unref();`;

/** Starts a server on its data folder in `scratch`, and measures the time to its first response, which has to be right. */
async function startServer(name: Name, scratch: string) {
  const started = performance.now();
  const folder = join(scratch, name);
  const isOurs = name === 'ours';
  const main = isOurs
    ? join(root, 'apps/server/src/main.js')
    : join(import.meta.dirname, 'fastify.ts');
  const settings = {
    PORT: '0',
    PETSTORE_DATA_DIR: folder,
    PETSTORE_API_KEYS: apiKey,
    NODE_ENV: 'production',
  };
  const { child, greeting, ended } = runServer(main, {
    args: isOurs ? [] : [folder],
    env: {
      ...process.env,
      ...settings,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(probe)}`,
    },
    stdio: ['ignore', openSync(`${folder}.log`, 'a'), 'pipe', 'ipc'],
  });
  const { origin } = await greeting;
  pin(child.pid ?? 0, 0);
  const response = await fetch(origin + basePath + list.path, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  deepStrictEqual(await response.json(), pets().slice(0, 20), `${name} does not list the pets`);
  return {
    port: Number(new URL(origin).port),
    milliseconds: performance.now() - started,
    usage: async (): Promise<{ cpu: number; rss: number }> => {
      const answered = once(child, 'message');
      child.send('usage');
      return (await answered)[0];
    },
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

/** Keeps a process on one core, where that is possible. */
function pin(pid: number, core: number): void {
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `${core}`, `${pid}`]);
}
