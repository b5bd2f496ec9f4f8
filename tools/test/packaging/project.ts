import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const shell = process.platform === 'win32';

/** Runs a program to its end and gives what it printed; if it fails, so does this, with everything it said. */
export function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd, env, shell }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${command} ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });
}

/** A command that `tools` depends on. */
export const bin = (name: string) => join(root, 'tools/node_modules/.bin', name);

const folders = { '@petstore/types': 'packages/types', '@petstore/client': 'packages/client', petctl: 'apps/petctl' };

/** Somebody's project: it has the packages from their tarballs, installed with npm, and the programs of `consumers`. */
export interface Project {
  readonly folder: string;
  /** An empty folder from which nothing of the project is found. */
  readonly elsewhere: string;
  /** Where each package's tarball is. */
  readonly tarballs: Readonly<Record<keyof typeof folders, string>>;
  remove(): Promise<void>;
}

export async function install(): Promise<Project> {
  const scratch = await mkdtemp(join(tmpdir(), 'packaging-'));
  const [folder, elsewhere] = [join(scratch, 'project'), join(scratch, 'elsewhere')];
  await Promise.all([mkdir(folder), mkdir(elsewhere)]);
  const pack = async (from: string) => {
    const said = await run(join(root, from), 'pnpm', 'pack', '--json', '--pack-destination', folder);
    const { filename }: { filename: string } = JSON.parse(said);
    return filename;
  };
  const [types, client, petctl] = await Promise.all(Object.values(folders).map(pack));
  if (!types || !client || !petctl) throw new Error('Something was not packed.');
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await run(folder, 'npm', 'install', '--no-audit', '--no-fund', types, client, petctl);
  await cp(join(import.meta.dirname, 'consumers'), folder, { recursive: true });
  return {
    folder,
    elsewhere,
    tarballs: { '@petstore/types': types, '@petstore/client': client, petctl },
    remove: () => rm(scratch, { recursive: true, force: true }),
  };
}
