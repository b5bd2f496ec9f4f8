// `npm test` and `npm run test:deep`: runs the tasks, and repeats at the end what failed and what was skipped.
import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { env, turboBinary } from './turbo.mjs';

const quick = ['lint', 'typecheck', 'test', 'test:no-server', 'drift'];
/** The deep run has one task at a time: the bench needs quiet cores, and tests under load need all cores. */
const deep = ['test:deep', 'bench', '--concurrency=1'];
const tasks = process.argv[2] === 'deep' ? deep : [...quick, '--concurrency=100%'];

const colour = process.stdout.isTTY && { FORCE_COLOR: process.env.FORCE_COLOR ?? '1' };
const child = spawn(turboBinary(), ['run', ...tasks, '--continue=dependencies-successful'], {
  stdio: ['inherit', 'pipe', 'inherit'],
  env: { ...process.env, ...env, ...colour },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));

const [skipped, failed] = [new Set(), new Set()];
let rest = '';
child.stdout.setEncoding('utf8').on('data', (text) => {
  process.stdout.write(text);
  const lines = (rest + text).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines.map(stripVTControlCharacters)) {
    skipped.add(/SKIPPED: .*/.exec(line)?.[0]);
    // The second alternative is vitest's report of a failed test.
    failed.add(/FAILED: .*|\bFAIL\b.* > .*/.exec(line)?.[0]);
  }
});
child.on('close', (code) => {
  process.exitCode = code ?? 1;
  for (const found of [failed, skipped]) {
    found.delete(undefined);
    if (found.size > 0) console.log(`\n${[...found].join('\n')}`);
  }
  if (code === 0 && skipped.size === 0) console.log('\nNothing was skipped.');
});
