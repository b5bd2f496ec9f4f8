// `npm test` and `npm run test:deep`: runs the tasks, and repeats at the end what failed and what was skipped.
import { stripVTControlCharacters } from 'node:util';
import { turbo } from './turbo.mjs';

const quick = ['lint', 'typecheck', 'test', 'test:no-server', 'drift'];
/** The deep run has one task at a time: the bench needs quiet cores, and tests under load need all cores. */
const deep = [...quick, 'test:deep', 'bench', '--concurrency=1'];
const args = process.argv[2] === 'deep' ? deep : [...quick, '--concurrency=100%'];

const child = turbo(['run', ...args, '--continue=dependencies-successful'], {
  stdio: ['inherit', 'pipe', 'inherit'],
  env: process.stdout.isTTY && { FORCE_COLOR: process.env.FORCE_COLOR ?? '1' },
});

const skipped = new Set();
const failed = new Set();
let rest = '';
child.stdout.setEncoding('utf8').on('data', (text) => {
  process.stdout.write(text);
  const lines = (rest + text).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const [reason] = /SKIPPED: .*/.exec(line) ?? [];
    if (reason) skipped.add(reason);
    // The second alternative is vitest's report of a failed test.
    const [failure] = /FAILED: .*|\bFAIL\b.* > .*/.exec(stripVTControlCharacters(line)) ?? [];
    if (failure) failed.add(failure);
  }
});
child.on('close', (code) => {
  if (failed.size > 0) console.log(`\n${[...failed].join('\n')}`);
  if (skipped.size > 0) console.log(`\n${[...skipped].join('\n')}`);
  else if (code === 0) console.log('\nNothing was skipped.');
});
