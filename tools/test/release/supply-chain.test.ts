import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { root, textOf } from '../../repository.ts';
import { repositoryFiles } from '../repository-copy.ts';

interface Manifest {
  name: string;
  packageManager?: string;
  scripts?: Record<string, string>;
  [dependencies: string]: unknown;
}
interface Workspace {
  catalog: Record<string, string>;
  overrides: Record<string, string>;
  allowBuilds: Record<string, boolean>;
  minimumReleaseAge: number;
}
interface Lockfile {
  packages: Record<string, { resolution: { integrity?: string } }>;
}

const exact = /^(npm:(@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/;
const workspace: Workspace = parse(textOf('pnpm-workspace.yaml'));
const json = (file: string): Manifest => JSON.parse(textOf(file));
const manifests = repositoryFiles().filter((file) => /(^|\/)package\.json$/.test(file));

const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'];
/** The dependencies of a manifest: names and ranges. */
const dependenciesOf = (manifest: Manifest) =>
  kinds.flatMap((kind) => Object.entries((manifest[kind] ?? {}) as object));

test('every version is exact', () => {
  expect(manifests).toContain('apps/petctl/package.json');
  const loose = manifests.flatMap((file) =>
    dependenciesOf(json(file))
      .filter(([, range]) => !/^(catalog:|workspace:\*|link:.*)$/.test(range) && !exact.test(range))
      .map(([name, range]) => `${file}: ${name} ${range}`),
  );
  expect(loose).toEqual([]);
  const { catalog, overrides } = workspace;
  // A dash leaves the package out.
  const entries = Object.entries({ ...catalog, ...overrides }).filter(([, range]) => range !== '-');
  expect(entries.filter(([, range]) => !exact.test(range))).toEqual([]);
});

test('pnpm is the one of the lockfile, by its hash, and young versions are not installed', () => {
  const { packages }: Lockfile = parse(textOf('pnpm-lock.yaml'));
  const pnpm = `pnpm@${workspace.catalog.pnpm}`;
  const [, hash = ''] = /^sha512-(.+)$/.exec(packages[pnpm]?.resolution.integrity ?? '') ?? [];
  expect(json('package.json').packageManager).toBe(`${pnpm}+sha512.${Buffer.from(hash, 'base64').toString('hex')}`);
  expect(workspace.minimumReleaseAge).toBeGreaterThanOrEqual(3 * 24 * 60);
});

test('everything comes from the registry, with a hash', () => {
  const { packages }: Lockfile = parse(textOf('pnpm-lock.yaml'));
  expect(Object.keys(packages).length).toBeGreaterThan(100);
  const without = Object.entries(packages).filter(([, { resolution }]) => !/^sha512-/.test(resolution.integrity ?? ''));
  expect(without.map(([name]) => name)).toEqual([]);
});

test('no package runs an install script, other than the one that is allowed to', () => {
  const running = installed().filter(
    ({ folder, scripts = {} }) =>
      ['preinstall', 'install', 'postinstall'].some((script) => script in scripts) ||
      existsSync(join(folder, 'binding.gyp')),
  );
  expect(running.map(({ name }) => name).filter((name) => !(name in workspace.allowBuilds))).toEqual([]);
  expect(Object.entries(workspace.allowBuilds).flatMap(([name, allowed]) => (allowed ? [name] : []))).toEqual(['pnpm']);
});

test('users install only packages with permissive licences', () => {
  const permissive = [
    'MIT',
    'ISC',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'Python-2.0',
    '0BSD',
    'BlueOak-1.0.0',
  ];
  const filters = ['petctl', '@petstore/client', '@petstore/server', '@petstore/types', '@petstore/spec'];
  const args = [...filters.flatMap((name) => ['--filter', name]), 'licenses', 'list', '--json', '--prod'];
  const shell = process.platform === 'win32';
  const licences: Record<string, { name: string }[]> = JSON.parse(
    execFileSync('pnpm', args, { cwd: root, encoding: 'utf8', shell }),
  );
  expect(Object.keys(licences)).toContain('MIT');
  const others = Object.entries(licences).filter(([licence]) => !permissive.includes(licence));
  expect(others.map(([licence, packages]) => `${licence}: ${packages.map(({ name }) => name)}`)).toEqual([]);
});

function installed(): (Manifest & { folder: string })[] {
  const store = join(root, 'node_modules/.pnpm');
  const below = (folder: string) => (existsSync(folder) ? readdirSync(folder).map((each) => join(folder, each)) : []);
  return readdirSync(store)
    .flatMap((entry) => below(join(store, entry, 'node_modules')))
    .flatMap((folder) => (/[\\/]@[^\\/]+$/.test(folder) ? below(folder) : [folder]))
    .filter((folder) => !lstatSync(folder).isSymbolicLink() && existsSync(join(folder, 'package.json')))
    .map((folder) => ({ ...json(folder.slice(root.length).concat('/package.json')), folder }));
}
