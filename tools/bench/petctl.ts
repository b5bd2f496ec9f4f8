// Measures the CPU time of the built petctl, user and system. bash measures it, because bash reports that of a child.
import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createApp, keysFrom, listen, memoryStore } from '@petstore/server';
import { root } from '../repository.ts';
import { inRounds, median, medianRatio, type Section, withScratch } from './measure.ts';
import { apiKey, basePath, fill, list } from './workload.ts';

const rounds = 30;

/** Measures against a server in this process. The ratios to `node -e 0` in the same run hardly depend on the machine. */
export async function petctl(): Promise<Section> {
  const folder = join(root, 'apps/petctl');
  execFileSync(process.execPath, ['--run', 'build'], { cwd: folder, stdio: 'pipe' });
  const program = join(folder, 'dist/petctl.js');
  const store = memoryStore();
  await fill(store, 5);
  const server = await listen(createApp(store, { keys: keysFrom(apiKey) }), { host: '127.0.0.1', port: 0 });
  const scripted = [...list.command, '--status', 'available', '--limit', '5', '-o', 'json'];
  const times = await withScratch((HOME) => {
    const env = { PATH: process.env.PATH, HOME, PETCTL_BASE_URL: server.origin + basePath, PETCTL_API_KEY: apiKey };
    const running =
      (...args: string[]) =>
      () =>
        cpuTime(args, env);
    return inRounds(
      {
        'node -e 0': running('-e', '0'),
        '--version': running(program, '--version'),
        [scripted.join(' ')]: running(program, ...scripted),
        '--help': running(program, '--help'),
      },
      rounds,
    );
  }).finally(() => server.stop(0));
  const [bare, version, call, help] = Object.values(times);
  return {
    title: 'petctl',
    how: `CPU time, user and system; medians of ${rounds} rounds.`,
    tables: [Object.entries(times).map(([command, each]) => ({ command, 'ms CPU': Math.round(median(each)) }))],
    targets: [
      ['--version / node -e 0', medianRatio(version, bare), '≤', 1.2],
      ['a call with flags / node -e 0', medianRatio(call, bare), '≤', 2.5],
      ['--help / node -e 0', medianRatio(help, bare), '≤', 2],
    ],
  };
}

/** Milliseconds of CPU that a run of Node takes. */
async function cpuTime(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const script = 'TIMEFORMAT="%3U %3S"; time "$0" "$@" >/dev/null';
  const { stderr } = await promisify(execFile)('bash', ['--norc', '-c', script, process.execPath, ...args], { env });
  const [user = 0, system = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return (user + system) * 1000;
}
