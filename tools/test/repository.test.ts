import { expect, test } from 'vitest';
import { textOf } from '../repository.ts';
import { repositoryFiles } from './repository-copy.ts';

test('the lockfile and the repository name no registry host', () => {
  const hosts = /registry\.(npmjs|yarnpkg)|(tarball|resolved): *http/;
  const files = repositoryFiles();
  expect(files).toContain('pnpm-lock.yaml');
  expect(files.filter((file) => hosts.test(textOf(file)))).toEqual([]);
});

/** What is about the pets of this service. Everything else of the sources is the same for any service. */
const ABOUT_PETS = [
  'apps/server/src/collections.ts',
  'apps/server/src/handlers.ts',
  // The formats before today's, in which the only collection was that of the pets.
  /^apps\/server\/src\/store\/lowdb\/format-1\//,
  'apps/server/src/store/postgres/format-1.ts',
  'tools/bench/workload.ts',
  /^tools\/test\//,
  /\.gen\.ts$/,
];

const NAMES_PETS = /[Pp]ets?(?![a-z])|[Aa]nimal/;

test('only the sources about pets name pets', () => {
  const sources = repositoryFiles().filter((file) =>
    /^(apps\/[^/]+\/(src|build)|packages\/(client|types)\/src|tools)\//.test(file),
  );
  const isAboutPets = (file: string) =>
    ABOUT_PETS.some((one) => (typeof one === 'string' ? one === file : one.test(file)));
  const naming = sources.filter((file) => !isAboutPets(file) && NAMES_PETS.test(textOf(file)));
  expect(naming).toEqual([]);
});
