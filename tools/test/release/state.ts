import { readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Scenario } from './scenario.ts';

export const published = ['@petstore/client', '@petstore/server', '@petstore/spec', '@petstore/types', 'petctl'];
const folders = ['apps/petctl', 'apps/server', 'packages/client', 'packages/types', 'spec'];

export const json = async (...path: string[]) => JSON.parse(await readFile(join(...path), 'utf8'));

/** The version that the registry tags as the latest. */
export async function latest({ registry }: Scenario, name: string): Promise<string> {
  const response = await fetch(`${registry.url}${name.replace('/', '%2f')}`);
  return ((await response.json()) as { 'dist-tags': { latest: string } })['dist-tags'].latest;
}

/** The state after a release: of the checkout, of the registry, and of the projects that installed it. */
export async function stateAfter(scenario: Scenario) {
  const inCheckout = (file: string) => readFile(join(scenario.checkout, file), 'utf8');
  const release = join(scenario.checkout, 'dist/release');
  const boms = (await readdir(release)).filter((file) => file.endsWith('.cdx.json'));
  return {
    packages: await Promise.all(published.map((name) => installed(scenario, name))),
    versions: await Promise.all(
      folders.map(async (folder) => (await json(scenario.checkout, folder, 'package.json')).version),
    ),
    changelogs: await Promise.all(folders.map((folder) => inCheckout(`${folder}/CHANGELOG.md`))),
    spec: await inCheckout('spec/openapi.yaml'),
    tags: (await scenario.in(scenario.checkout, 'git', 'tag', '--points-at', 'HEAD')).trim().split('\n'),
    changes: await scenario.in(scenario.checkout, 'git', 'status', '--porcelain'),
    waiting: (await readdir(join(scenario.checkout, '.changeset'))).filter((file) => file.endsWith('.md')),
    boms: new Map(await Promise.all(boms.map(async (file) => [file, await json(release, file)] as const))),
  };
}

async function installed(scenario: Scenario, name: string) {
  const folder = join(name === 'petctl' ? scenario.shell : scenario.caller, 'node_modules', name);
  const files = (await readdir(folder, { recursive: true })).map((file) => file.replaceAll('\\', '/'));
  return {
    name,
    files,
    manifest: await json(folder, 'package.json'),
    latest: await latest(scenario, name),
    imports: await imports(files.filter((file) => file.endsWith('.js')).map((file) => join(folder, file))),
  };
}

/** The packages that these files import, other than Node's own modules. Names that begin with `#` are the package's own. */
async function imports(files: readonly string[]): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [...files],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outdir: 'nowhere',
    write: false,
    metafile: true,
  });
  const all = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const packages = all.filter(({ external, path }) => external && !isBuiltin(path) && !path.startsWith('#'));
  return packages.map(({ path }) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
}
