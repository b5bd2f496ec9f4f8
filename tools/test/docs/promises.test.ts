// docs/promises.md names a test for each promise, and a promise for each test.
import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root, textOf } from '../../repository.ts';

const page = textOf('docs/promises.md');
const tests = globSync(
  ['apps/*/test/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'tools/test/**/*.test.ts'],
  {
    cwd: root,
  },
);
const rows = page.split('\n').filter((line) => /^\| [A-Z]\d+ \|/.test(line));

test.each(rows)('%s', (row) => {
  const named = row.match(/`[\w/.-]+\.ts`/g) ?? [];
  expect(named.length).toBeGreaterThan(0);
});

test.each(tests)('%s proves a promise', (file) => {
  expect(page).toContain(`\`${file}\``);
});
