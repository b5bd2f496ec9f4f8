// Runs turbo. `tasks.mjs test` and `tasks.mjs deep` are `npm test` and `npm run test:deep`: they
// repeat at the end what failed and what was skipped, because that is far above in the output. Any
// other arguments are turbo's.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';

const turboArguments = {
  test: ['lint', 'typecheck', 'test', 'test:store', 'drift', '--concurrency=100%'],
  // One task at a time: the bench needs quiet cores, and tests under load need all cores.
  deep: ['test:deep', 'bench', '--concurrency=1'],
};
const [name, ...more] = process.argv.slice(2);
const known = turboArguments[name];
if (known) await runAndSummarize(['run', ...known, '--continue=dependencies-successful', ...more]);
else turbo([name, ...more], 'inherit');

/** Starts turbo, with its telemetry off: only the environment can say that. */
function turbo(args, stdout) {
  const child = spawn('turbo', args, {
    stdio: ['inherit', stdout, 'inherit'],
    env: { ...colours(), ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
    shell: process.platform === 'win32',
  });
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
  return child;
}

/** Turbo writes to a pipe, and so would not know that the user has a terminal. */
function colours() {
  return process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
}

async function runAndSummarize(args) {
  const child = turbo(args, 'pipe');
  const ended = once(child, 'close');
  const failed = new Set();
  const skipped = new Set();
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    const text = stripVTControlCharacters(line);
    addFrom(' FAIL ', text, failed);
    addFrom('FAILED: ', text, failed);
    if (isFailure(text)) failed.add(text.replace(/━+$/, '').trim());
    addFrom('SKIPPED: ', text, skipped);
  }
  const [code] = await ended;
  for (const lines of [failed, skipped]) {
    if (lines.size > 0) console.log(`\n${[...lines].join('\n')}`);
  }
  if (code === 0 && skipped.size === 0) console.log('\nNothing was skipped.');
}

/** Whether a line is an error of the compiler, a finding of the drift check, or a heading of the linter. */
function isFailure(text) {
  const isHeading = text.endsWith('━━━') && !text.includes(': ci ━');
  return isHeading || text.includes(': error TS') || text.includes('; fix: ');
}

/**
 * Adds the part of a line that begins with a mark, if there is one: vitest prints ` FAIL  file >
 * test`, and tests print `SKIPPED: reason`.
 */
function addFrom(mark, line, found) {
  const start = line.indexOf(mark);
  if (start >= 0) found.add(line.slice(start).trim());
}
