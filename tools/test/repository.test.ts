import { expect, test } from 'vitest';
import { textOf } from '../repository.ts';
import { repositoryFiles } from './repository-copy.ts';

test('the lockfile and the repository name no registry host', () => {
  const hosts = /registry\.(npmjs|yarnpkg)|(tarball|resolved): *http/;
  const files = repositoryFiles();
  expect(files).toContain('pnpm-lock.yaml');
  expect(files.filter((file) => hosts.test(textOf(file)))).toEqual([]);
});
