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

const failures = [
  ['FAIL  test/a.test.ts > a test', '@petstore/server:test:  '],
  ['FAILED: a check', 'petctl:test: '],
  ['//:lint: src/a.ts format', ''],
  ['petctl:typecheck: src/a.ts(1,2): error TS2322: Type', ''],
  ['@petstore/tools:drift: D6 pages: README.md:1: there is no flag --a; fix: correct the page', ''],
  ['SKIPPED: no database', '@petstore/server:test: '],
] as const;

test.each(failures)('the last lines repeat "%s"', (text, before) => {
  const heading = text.endsWith('format') ? ` ${'━'.repeat(9)}` : '';
  const lines = outputAfter(['a line', before + text + heading, 'another line', '', '']).trim();
  expect(lines.split('\n').slice(-2)).toEqual(['', text]);
});

test.each(['D6 pages: fix this', `//:lint: ci ${'━'.repeat(9)}`])(
  'a line that says nothing of a failure is not repeated: %s',
  (text) => {
    expect(outputAfter([text])).toBe(`${text}\n`);
  },
);
