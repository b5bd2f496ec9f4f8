// Compares the CPU time of a command, user and system, of the built petctl with that of `node -e
// 0`.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { operations, service } from '@petstore/types';
import { root } from '../repository.ts';
import { compare, type Effort, newScratch, type Section } from './measure.ts';
import { Peer, peer } from './servers.ts';
import { apiKey, fillFolder } from './workload.ts';

const run = promisify(execFile);
const built = join(root, 'apps/petctl/dist/petctl.js');
const list = [...operations.listPets.command, ...'--status available --limit 5 -o json'.split(' ')];

/**
 * A measurement runs the command this number of times, because bash measures whole milliseconds.
 */
const REPEATS = 5;

export async function petctl(effort: Effort): Promise<Section> {
  await run(process.execPath, [join(root, 'apps/petctl/build.ts')]);
  using scratch = newScratch();
  const folder = join(scratch.path, 'data');
  await fillFolder(folder, 20);
  await using server = await Peer.start(peer('store'), folder);
  const env = {
    PATH: process.env.PATH,
    HOME: scratch.path,
    PETCTL_BASE_URL: server.origin + service.basePath,
    PETCTL_API_KEY: apiKey,
  };
  const subjects = {
    'node -e 0': { measure: () => measureCommandCpu(['-e', '0'], env) },
    'petctl --version': {
      measure: () => measureCommandCpu([built, '--version'], env),
      atMost: 1.2,
    },
    [`petctl ${list.join(' ')}`]: {
      measure: () => measureCommandCpu([built, ...list], env),
      atMost: 2.5,
    },
  };
  return { table: await compare('CPU ms', subjects, effort) };
}

/**
 * Measures the milliseconds of CPU that a run of Node takes. bash does it, because Node does not
 * report the CPU time of a child. The script gets the command as `$0` and `$@`, and prints user and
 * system seconds.
 */
async function measureCommandCpu(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const repeated = `for i in {1..${REPEATS}}; do "$0" "$@" >/dev/null; done`;
  const script = `set -e; TIMEFORMAT='%3U %3S'; time ${repeated}`;
  const { stderr } = await run('bash', ['--norc', '-c', script, process.execPath, ...args], {
    env,
  });
  const [user = Number.NaN, system = Number.NaN] = stderr.trim().split(' ').map(Number);
  return ((user + system) * 1000) / REPEATS;
}
