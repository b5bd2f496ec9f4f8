import { readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Story } from './story.ts';

export const published = ['@petstore/client', '@petstore/spec', '@petstore/types', 'petctl'];
const folders = ['apps/petctl', 'apps/server', 'packages/client', 'packages/types', 'spec'];

export const json = async (...path: string[]) => JSON.parse(await readFile(join(...path), 'utf8'));

/** The version that the registry gives to whoever asks for none. */
export async function latest({ registry }: Story, name: string): Promise<string> {
  const answer = await fetch(`${registry.url}${name.replace('/', '%2f')}`);
  return ((await answer.json()) as { 'dist-tags': { latest: string } })['dist-tags'].latest;
}

/** What is to be seen after a release: in the checkout, in the registry, and where others have installed it. */
export async function look(story: Story) {
  const inCheckout = (file: string) => readFile(join(story.checkout, file), 'utf8');
  const release = join(story.checkout, 'dist/release');
  const boms = (await readdir(release)).filter((file) => file.endsWith('.cdx.json'));
  return {
    packages: await Promise.all(published.map((name) => installed(story, name))),
    versions: await Promise.all(
      folders.map(async (folder) => (await json(story.checkout, folder, 'package.json')).version),
    ),
    changelogs: await Promise.all(folders.map((folder) => inCheckout(`${folder}/CHANGELOG.md`))),
    spec: await inCheckout('spec/openapi.yaml'),
    tags: (await story.in(story.checkout, 'git', 'tag', '--points-at', 'HEAD')).trim().split('\n'),
    changes: await story.in(story.checkout, 'git', 'status', '--porcelain'),
    waiting: (await readdir(join(story.checkout, '.changeset'))).filter((file) => file.endsWith('.md')),
    boms: new Map(await Promise.all(boms.map(async (file) => [file, await json(release, file)] as const))),
  };
}

async function installed(story: Story, name: string) {
  const folder = join(name === 'petctl' ? story.shell : story.caller, 'node_modules', name);
  const files = (await readdir(folder, { recursive: true })).map((file) => file.replaceAll('\\', '/'));
  return {
    name,
    files,
    manifest: await json(folder, 'package.json'),
    latest: await latest(story, name),
    imports: await imports(files.filter((file) => file.endsWith('.js')).map((file) => join(folder, file))),
  };
}

/** What code imports from elsewhere, but for Node's own modules. */
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
  return all.filter(({ external, path }) => external && !isBuiltin(path)).map(({ path }) => path);
}
