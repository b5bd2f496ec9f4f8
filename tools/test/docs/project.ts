import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './pages.ts';

/** The folder of somebody who works with the packages: built and installed, with the examples, and a home around it. */
export interface Project {
  readonly home: string;
  readonly folder: string;
  remove(): Promise<void>;
}

/** Files that pages name without making them. */
const named = {
  'animals.jsonl': '{"name":"Rex","categoryId":2,"status":"sold"}\n{"name":"Tom","categoryId":1}\n',
  'animals.csv': 'name,categoryId,status\nIda,3,available\n',
  'body.json': '{"name":"Bo","categoryId":4}',
};

export async function newProject(): Promise<Project> {
  const home = await mkdtemp(join(tmpdir(), 'petstore-pages-'));
  const folder = join(home, 'petstore');
  const remove = () => rm(home, { recursive: true, force: true, maxRetries: 3 });
  try {
    await furnish(home, folder);
  } catch (error) {
    await remove();
    throw error;
  }
  return { home, folder, remove };
}

async function furnish(home: string, folder: string): Promise<void> {
  for (const there of ['bin', '.zsh/completions', '.config/fish/completions', 'petstore/node_modules']) {
    await mkdir(join(home, there), { recursive: true });
  }
  // The commands of a checkout, and petctl as it is installed globally.
  await symlink(join(root, 'node_modules/.bin'), join(folder, 'node_modules/.bin'));
  await symlink(join(root, 'apps/petctl/dist/petctl.js'), join(home, 'bin/petctl'));
  for (const from of ['spec', 'packages/types', 'packages/client']) await install(join(root, from), folder);
  await cp(join(root, 'examples'), folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  for (const [file, text] of Object.entries(named)) await writeFile(join(folder, file), text);
}

/** Puts a package in a project: the files and the manifest that it is published with. */
async function install(from: string, project: string): Promise<void> {
  const { publishConfig, ...manifest } = JSON.parse(await readFile(join(from, 'package.json'), 'utf8'));
  const to = join(project, 'node_modules', manifest.name);
  for (const file of manifest.files) {
    if (!existsSync(join(from, file))) throw new Error(`${manifest.name} is not built: run \`npx turbo run build\``);
    await cp(join(from, file), join(to, file), { recursive: true });
  }
  await writeFile(join(to, 'package.json'), JSON.stringify({ ...manifest, ...publishConfig }));
}
