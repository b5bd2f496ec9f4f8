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
  'apps/server/src/store/lowdb/format-1.ts',
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

/** What fails on Windows, which no test here runs on. */
const NOT_FOR_WINDOWS = {
  'joins a list of folders by a colon: use `delimiter` of node:path': /PATH\b[^\n]*(`[^`\n]*\}:|:\$\{|['"]:['"])/,
  'takes the path of a URL with `pathname`: use fileURLToPath': /import\.meta\.url\)\.pathname/,
  'names /tmp: use tmpdir of node:os': /['"`]\/tmp\b/,
  'links a folder without `junction`, which only administrators may':
    /symlink(Sync)?\(.*\b(node_modules|packages|apps|spec)\b(?!.*('junction'|\.js'))/,
  'runs a script of `.bin` as a program': /\b(spawn|spawnSync|execFile|execFileSync|fork)\([^;]{0,80}\.bin\//,
  'runs a script that npm links, without a shell':
    /\b(spawn|spawnSync|execFile|execFileSync)\(\s*'(npm|npx|pnpm|tsc|vitest|biome|knip|changeset|redocly)'(?![^;]{0,300}\bshell\b)/,
};

/** Not searched: this file quotes the mistakes, and the other one makes one in a test that is skipped on Windows. */
const UNSEARCHED = ['tools/test/repository.test.ts', 'tools/test/start.test.ts'];

test.each(Object.entries(NOT_FOR_WINDOWS))('no source %s', (_, mistake) => {
  const sources = repositoryFiles().filter(
    (file) => /\.(ts|mjs|js)$/.test(file) && !/\.gen\.ts$/.test(file) && !UNSEARCHED.includes(file),
  );
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.filter((file) => mistake.test(textOf(file)))).toEqual([]);
});
