// Measures the client beside openapi-fetch, and the built petctl beside `node -e 0`: the CPU time, user and system, of a call.
import { deepStrictEqual } from 'node:assert';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { petstore } from '@petstore/client';
import { createApp, keysFrom, listen, memoryStore } from '@petstore/server';
import createClient from 'openapi-fetch';
import { petctlFile } from '../reference.ts';
import { root } from '../repository.ts';
import { apiKey, basePath, fill, list, pets } from './load.ts';
import { inRounds, median, medianRatio, newScratch, type Section } from './measure.ts';

/** What openapi-fetch has to know of the operation. */
interface Paths {
  '/pets': {
    get: {
      parameters: { query: object };
      responses: { 200: { content: { 'application/json': unknown } } };
    };
  };
}

/** Lists pets by status, with a `fetch` that responds at once, so that only the cost of the client is measured. */
export async function client(): Promise<Section> {
  const calls = 2_000;
  const page = pets().slice(0, 2);
  const text = JSON.stringify(page);
  const fetch = async () => new Response(text, { headers: { 'content-type': 'application/json' } });
  const [baseUrl, status] = ['https://petstore.test/v1', 'available'] as const;
  const ours = petstore({ baseUrl, apiKey, fetch });
  const theirs = createClient<Paths>({ baseUrl, fetch });
  const headers = { authorization: `Bearer ${apiKey}` };
  const measure = (call: () => Promise<unknown>) => async () => {
    deepStrictEqual(await call(), page);
    const before = process.cpuUsage();
    for (let i = 0; i < calls; i++) await call();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / calls;
  };
  const query = { status };
  const subjects = {
    '@petstore/client': measure(async () => await ours.listPets(query)),
    'openapi-fetch': measure(
      async () => (await theirs.GET(list.path, { headers, params: { query } })).data,
    ),
  };
  const times = await inRounds(subjects, 40);
  return {
    title: 'The client',
    how: `A call that lists pets, if fetch responds at once: medians of 40 rounds of ${calls} calls.`,
    tables: [
      Object.entries(times).map(([name, each]) => ({
        client: name,
        'CPU µs a call': median(each),
      })),
    ],
    targets: [
      [
        'CPU time / openapi-fetch',
        medianRatio(times['@petstore/client'], times['openapi-fetch']),
        '≤',
        2,
      ],
    ],
  };
}

/** Runs petctl against a server in this process. The ratios to `node -e 0` in the same run hardly depend on the machine. */
export async function petctl(): Promise<Section> {
  // It builds the one that is packed.
  await cpuTime([petctlFile, '--version'], process.env);
  const packed = join(root, 'apps/petctl/dist/petctl.js');
  const store = memoryStore();
  await fill(store, 5);
  const server = await listen(createApp(store, { keys: keysFrom(apiKey) }), {
    host: '127.0.0.1',
    port: 0,
  });
  const scripted = [...list.command, '--status', 'available', '--limit', '5', '-o', 'json'];
  using scratch = newScratch();
  const PETCTL_BASE_URL = server.origin + basePath;
  const env = {
    PATH: process.env.PATH,
    HOME: scratch.path,
    PETCTL_BASE_URL,
    PETCTL_API_KEY: apiKey,
  };
  const running = (...args: string[]) => cpuTime.bind(undefined, args, env);
  const [version, help] = [running(packed, '--version'), running(packed, '--help')];
  const subjects = { node: running('-e', '0'), version, call: running(packed, ...scripted), help };
  const times = await inRounds(subjects, 30).finally(() => server.stop(0));
  return {
    title: 'petctl',
    how: `\`node -e 0\`, \`petctl --version\`, \`petctl ${scripted.join(' ')}\` and \`petctl --help\`: medians of 30 rounds.`,
    tables: [
      Object.entries(times).map(([command, each]) => ({
        command,
        'ms CPU': Math.round(median(each)),
      })),
    ],
    targets: [
      ['version / node', medianRatio(times.version, times.node), '≤', 1.2],
      ['call / node', medianRatio(times.call, times.node), '≤', 2.5],
      ['help / node', medianRatio(times.help, times.node), '≤', 2],
    ],
  };
}

/** Milliseconds of CPU that a run of Node takes. bash measures them, because bash reports those of a child. */
async function cpuTime(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const script = 'TIMEFORMAT="%3U %3S"; time "$0" "$@" >/dev/null';
  const { stderr } = await promisify(execFile)(
    'bash',
    ['--norc', '-c', script, process.execPath, ...args],
    { env },
  );
  const [user = 0, system = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return (user + system) * 1000;
}
