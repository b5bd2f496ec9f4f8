// Measures the built petctl beside `node -e 0`: the CPU time, user and system, of a call from a shell.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { operations, service } from '@petstore/types';
import { petctlFile } from '../reference.ts';
import { root } from '../repository.ts';
import {
  atMost,
  type Effort,
  inRotation,
  median,
  medianRatio,
  newScratch,
  type Section,
} from './measure.ts';
import { Peer, peerFile } from './peer.ts';
import { apiKey, fillFolder } from './pets.ts';

const run = promisify(execFile);
const packed = join(root, 'apps/petctl/dist/petctl.js');
const list = [
  ...operations.listPets.command,
  '--status',
  'available',
  '--limit',
  '5',
  '-o',
  'json',
];

/** Each measurement repeats the command so often, because bash measures whole milliseconds. */
const REPEATS = 5;

export async function petctl({ rounds }: Effort): Promise<Section> {
  // This builds the one that is packed.
  await run(process.execPath, [petctlFile, '--version']);
  using scratch = newScratch();
  const folder = join(scratch.path, 'data');
  await fillFolder(folder, 20);
  const server = await Peer.start(peerFile('store'), folder, [folder]);
  const env = {
    PATH: process.env.PATH,
    HOME: scratch.path,
    PETCTL_BASE_URL: server.origin + service.basePath,
    PETCTL_API_KEY: apiKey,
  };
  const subjects = {
    node: () => cpuOfCommand(['-e', '0'], env),
    version: () => cpuOfCommand([packed, '--version'], env),
    list: () => cpuOfCommand([packed, ...list], env),
  };
  const times = await inRotation('petctl', subjects, rounds).finally(() => server.stop());
  const row = (command: string, name: keyof typeof subjects) => ({
    command,
    'CPU ms': median(times[name]),
    'as a multiple of `node -e 0`': medianRatio(times[name], times.node),
  });
  const version = medianRatio(times.version, times.node);
  const listing = medianRatio(times.list, times.node);
  return {
    title: 'petctl',
    comparisons: [
      '`node -e 0` is what any program of Node costs, so the multiples depend little on the machine.',
      `The server of the list is another process, whose CPU does not count: medians of ${rounds} rounds of ${REPEATS} calls.`,
    ],
    tables: [
      [
        row('`node -e 0`', 'node'),
        row('`petctl --version`', 'version'),
        row(`\`petctl ${list.join(' ')}\``, 'list'),
      ],
    ],
    targets: [
      atMost('petctl --version / node -e 0', version, 1.2),
      atMost('petctl pets list / node -e 0', listing, 2.5),
    ],
  };
}

/** Milliseconds of CPU that a run of Node takes, measured by bash, because Node does not report that of a child. */
async function cpuOfCommand(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const script = `set -e; TIMEFORMAT='%3U %3S'; time for i in {1..${REPEATS}}; do "$0" "$@" >/dev/null; done`;
  const { stderr } = await run('bash', ['--norc', '-c', script, process.execPath, ...args], {
    env,
  });
  const [user = Number.NaN, system = Number.NaN] = stderr.trim().split(' ').map(Number);
  return ((user + system) * 1000) / REPEATS;
}
