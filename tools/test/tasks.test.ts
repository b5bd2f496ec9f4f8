// The end of `npm test` repeats what is far above in the output of all its tasks.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { expect, test } from 'vitest';
import { root } from '../repository.ts';

/** What `npm test` prints where turbo prints this, and fails. */
function outputAfter(lines: readonly string[]): string {
  const folder = newFolder('tasks');
  const turbo = `#!/usr/bin/env node\nconsole.log(${JSON.stringify(lines.join('\n'))});\nprocess.exitCode = 1;\n`;
  writeFileSync(join(folder, 'turbo'), turbo, { mode: 0o755 });
  const path = [folder, process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH: path };
  const script = join(root, 'tools/tasks.mjs');
  return spawnSync(process.execPath, [script, 'test'], { env, encoding: 'utf8' }).stdout;
}

/** The names of the tests do not have the lines, because `npm test` would repeat these names, too. */
const failures = [
  ['a test that failed', 'FAIL  test/a.test.ts > a test', '@petstore/server:test:  '],
  ['a failed check', 'FAILED: a check', 'petctl:test: '],
  ['a finding of the linter', '//:lint: src/a.ts format', ''],
  ['an error of the compiler', 'petctl:typecheck: src/a.ts(1,2): error TS2322: Type', ''],
  [
    'a finding of the drift check',
    '@petstore/tools:drift: D6 pages: README.md:1: there is no flag --a; fix: correct the page',
    '',
  ],
  ['what was skipped', 'SKIPPED: no database', '@petstore/server:test: '],
] as const;

test.each(failures)('the last lines repeat %s', (_, text, before) => {
  const heading = text.endsWith('format') ? ` ${'━'.repeat(9)}` : '';
  const lines = outputAfter(['a line', before + text + heading, 'another line', '', '']).trim();
  expect(lines.split('\n').slice(-2)).toEqual(['', text]);
});

test.each([
  ['a heading of the drift check', 'D6 pages: fix this'],
  ['the heading of the linter itself', `//:lint: ci ${'━'.repeat(9)}`],
])('%s is not repeated', (_, text) => {
  expect(outputAfter([text])).toBe(`${text}\n`);
});
