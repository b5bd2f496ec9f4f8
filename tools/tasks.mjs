// Runs tasks with turbo: `tasks.mjs test` and `tasks.mjs deep` repeat at the end what failed and what was skipped; any other
// arguments are turbo's. turbo's own launch script cannot be stopped while turbo runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { runInstead } from './setup.mjs';

const lists = {
  test: ['lint', 'typecheck', 'test', 'test:no-server', 'drift', '--concurrency=100%'],
  // One task at a time: the bench needs quiet cores, and tests under load need all cores.
  deep: ['test:deep', 'bench', '--concurrency=1'],
};
const args = process.argv.slice(2);
const tasks = lists[args[0]];
// Only an environment variable disables telemetry, and npm scripts cannot set variables on every system.
const env = { TURBO_TELEMETRY_DISABLED: '1' };
if (tasks) await run(tasks);
else runInstead(turbo(), args, env);

/** The path of turbo's binary. */
function turbo() {
  const { platform, arch } = process;
  const name = `@turbo/${platform === 'win32' ? 'windows' : platform}-${arch === 'x64' ? '64' : arch}`;
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('turbo/package.json'));
  return resolve(`${name}/bin/turbo${platform === 'win32' ? '.exe' : ''}`);
}

async function run(names) {
  const colour = process.stdout.isTTY && { FORCE_COLOR: process.env.FORCE_COLOR ?? '1' };
  const child = spawn(turbo(), ['run', ...names, '--continue=dependencies-successful'], {
    stdio: ['inherit', 'pipe', 'inherit'],
    env: { ...process.env, ...env, ...colour },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  const closed = once(child, 'close');
  const [skipped, failed] = [new Set(), new Set()];
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    const text = stripVTControlCharacters(line);
    for (const found of text.match(/SKIPPED: .*/) ?? []) skipped.add(found);
    // The second alternative is vitest's report of a failed test.
    for (const found of text.match(/FAILED: .*|\bFAIL\b.* > .*/) ?? []) failed.add(found);
  }
  const [code] = await closed;
  process.exitCode = code ?? 1;
  for (const found of [failed, skipped])
    if (found.size > 0) console.log(`\n${[...found].join('\n')}`);
  if (code === 0 && skipped.size === 0) console.log('\nNothing was skipped.');
}
