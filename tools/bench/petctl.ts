// Measures the CPU time of petctl, user and system. The ratios to `node -e 0` in the same run hardly depend on the machine.
// bash measures the time, because bash reports the CPU time of a child.
import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { service } from '@petstore/types';
import { root } from '../repository.ts';
import { startServer } from '../test/support/server.ts';
import { inRounds, median, rounded, withScratch } from './measure.ts';
import { atMost, type Section } from './section.ts';
import { added, create, filter, list } from './workload.ts';

/** Measures the built petctl against a server in this process. */
export async function petctl(quick: boolean): Promise<Section> {
  return withScratch(async (scratch) => {
    const built = join(scratch, 'dist');
    execFileSync(process.execPath, [join(root, 'apps/petctl/build/main.ts'), built], { stdio: 'inherit' });
    const { origin, key, stop } = await startServer();
    try {
      const env = { PETCTL_BASE_URL: `${origin}${service.basePath}`, PETCTL_API_KEY: key };
      return await bench(join(built, 'petctl.js'), { PATH: process.env.PATH, HOME: scratch, ...env }, quick ? 9 : 40);
    } finally {
      await stop();
    }
  });
}

const { limit } = list.pagination;

/** A typical call of a script, with flags. */
const scripted = [...list.command, `--${filter.property}`, filter.value, `--${limit}`, '5', '-o', 'json'];

async function bench(program: string, env: NodeJS.ProcessEnv, rounds: number): Promise<Section> {
  const commands: Record<string, string[]> = {
    'node -e 0': ['-e', '0'],
    '--version': [program, '--version'],
    [scripted.join(' ')]: [program, ...scripted],
    '--help': [program, '--help'],
  };
  const creating = [program, ...create.command, '--data', JSON.stringify(added)];
  for (let i = 0; i < 3; i++) await promisify(execFile)(process.execPath, creating, { env });
  const names = Object.keys(commands);
  const times = await inRounds(names, rounds, (name) => cpuTime(commands[name] ?? [], env));
  const cost = (name: string) => median(times.get(name) ?? []);
  const ratioToNode = (name: string) => cost(name) / cost('node -e 0');
  const rows = names.map((name) => ({
    command: name,
    'ms CPU': Math.round(cost(name)),
    'of node -e 0': rounded(ratioToNode(name)),
  }));
  return {
    title: 'petctl',
    how: `CPU time, user and system; medians of ${rounds} rounds.`,
    tables: [{ rows }],
    targets: [
      atMost('--version / node -e 0', ratioToNode('--version'), 1.2),
      atMost('a call with flags / node -e 0', ratioToNode(scripted.join(' ')), 1.75),
      atMost('--help / node -e 0', ratioToNode('--help'), 1.5),
    ],
  };
}

/** Milliseconds of CPU that a run of Node takes. */
async function cpuTime(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const script = 'TIMEFORMAT="%3U %3S"; time "$0" "$@" >/dev/null';
  const { stderr } = await promisify(execFile)('bash', ['--norc', '-c', script, process.execPath, ...args], { env });
  const [user, system] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return ((user ?? Number.NaN) + (system ?? Number.NaN)) * 1000;
}
