import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\0')
  .filter((file) => file !== '');

test('the lockfile and the repository name no registry host', () => {
  const hosts = /registry\.(npmjs|yarnpkg)|(tarball|resolved): *http/;
  expect(files).toContain('pnpm-lock.yaml');
  expect(files.filter((file) => hosts.test(readFileSync(`${root}${file}`, 'utf8')))).toEqual([]);
});
