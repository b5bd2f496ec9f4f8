import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@petstore/testing';
import { root } from '../../repository.ts';

/** Files that pages name without making them. */
const NAMED_FILES = {
  'pets.jsonl': '{"name":"Rex","categoryId":2,"status":"sold"}\n{"name":"Tom","categoryId":1}\n',
  'pets.csv': 'name,categoryId,status\nIda,3,available\n',
  'body.json': '{"name":"Bo","categoryId":4}',
};

/** A project of a user in a home folder: it has the built packages, the examples and petctl. */
export interface Project {
  readonly home: string;
  readonly folder: string;
  remove(): void;
}

export async function newProject(): Promise<Project> {
  const { folder: home, remove } = makeFolder('home');
  const folder = join(home, 'petstore');
  await fill(home, folder).catch((error: unknown) => {
    remove();
    throw error;
  });
  return { home, folder, remove };
}

async function fill(home: string, folder: string): Promise<void> {
  for (const each of ['bin', '.zsh/completions', '.config/fish/completions', 'petstore/node_modules']) {
    await mkdir(join(home, each), { recursive: true });
  }
  // The commands of a checkout, and petctl as it is installed globally.
  await symlink(join(root, 'node_modules/.bin'), join(folder, 'node_modules/.bin'), 'junction');
  await symlink(join(root, 'apps/petctl/dist/petctl.js'), join(home, 'bin/petctl'));
  for (const from of ['spec', 'packages/types', 'packages/client']) await install(join(root, from), folder);
  await cp(join(root, 'examples'), folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  for (const [file, text] of Object.entries(NAMED_FILES)) await writeFile(join(folder, file), text);
}

/** Puts a package in a project: the files and the manifest that it is published with. */
async function install(from: string, project: string): Promise<void> {
  const { publishConfig, ...manifest } = JSON.parse(await readFile(join(from, 'package.json'), 'utf8'));
  const to = join(project, 'node_modules', manifest.name);
  for (const file of manifest.files) {
    if (!existsSync(join(from, file))) throw new Error(`${manifest.name} is not built: run \`npx pnpm -r build\``);
    await cp(join(from, file), join(to, file), { recursive: true });
  }
  await writeFile(join(to, 'package.json'), JSON.stringify({ ...manifest, ...publishConfig }));
}
