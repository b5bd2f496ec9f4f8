/**
 * How fast petctl starts: `node tools/bench/petctl.ts [--quick]`. CPU time, user and system, as ratios to `node -e 0` in
 * the same run, so that neither the machine nor what else it does counts. Measured by bash, which knows what a child took.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defaultConfig, serve } from '@petstore/server';
import { service } from '@petstore/types';

const rounds = process.argv.includes('--quick') ? 9 : 40;
const root = join(import.meta.dirname, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'petctl-bench-'));
try {
  execFileSync(process.execPath, [join(root, 'apps/petctl/build/main.ts'), join(scratch, 'dist')], {
    stdio: 'inherit',
  });
  const server = await serve(defaultConfig({ port: 0, dataDir: join(scratch, 'data'), logLevel: 'silent' }));
  try {
    const { pathname } = new URL(service.deployments.production);
    await bench(`${server.origin}${pathname}`, server.madeKey ?? '');
  } finally {
    await server.stop();
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function bench(baseUrl: string, apiKey: string): Promise<void> {
  const petctl = join(scratch, 'dist/petctl.js');
  const env = { PATH: process.env.PATH, HOME: scratch, PETCTL_BASE_URL: baseUrl, PETCTL_API_KEY: apiKey };
  const commands = {
    'node -e 0': ['-e', '0'],
    '--version': [petctl, '--version'],
    'pets list': [petctl, 'pets', 'list'],
    'pets list --limit 5': [petctl, 'pets', 'list', '--limit', '5'],
    'pets list -o table': [petctl, 'pets', 'list', '-o', 'table'],
    '--help': [petctl, '--help'],
  };
  for (const name of ['Rex', 'Tom', 'Ada'])
    await promisify(execFile)(process.execPath, [petctl, 'pets', 'create', '--name', name, '--category-id', '1'], {
      env,
    });

  const times = new Map<string, number[]>(Object.keys(commands).map((name) => [name, []]));
  // In turns, so that what else the machine does meets all alike. The first round only warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, args] of Object.entries(commands)) {
      const time = await cpuTime(args, env);
      if (round > 0) times.get(name)?.push(time);
    }
  }
  const cost = (name: string) => median(times.get(name) ?? []);
  const nothing = cost('node -e 0');
  const targets: Record<string, number> = { '--version': 1.35, 'pets list': 1.8 };
  const size = statSync(petctl).size;
  console.table([
    ...Object.keys(commands).map((name) =>
      row(name, `${cost(name).toFixed(0)} ms CPU`, cost(name) / nothing, targets[name]),
    ),
    row('what starts with every command', `${size} bytes`, size, 60_000),
  ]);
}

/** Milliseconds of CPU that a run of Node takes. */
async function cpuTime(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const script = 'TIMEFORMAT="%3U %3S"; time "$0" "$@" >/dev/null';
  const { stderr } = await promisify(execFile)('bash', ['--norc', '-c', script, process.execPath, ...args], { env });
  const [user, system] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return ((user ?? Number.NaN) + (system ?? Number.NaN)) * 1000;
}

function row(what: string, measured: string, value: number, target: number | undefined) {
  const ratio = target !== undefined && target > 100 ? undefined : Number(value.toFixed(2));
  return {
    what,
    measured,
    'of node -e 0': ratio,
    target: target && `at most ${target}`,
    met: target && (value <= target ? 'yes' : 'NO'),
  };
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
