import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@petstore/testing';
import { root } from '../../repository.ts';
import { run } from '../support/process.ts';

/** The folders of packages that need no server. */
export const FOLDERS = {
  '@petstore/types': 'packages/types',
  '@petstore/client': 'packages/client',
  petctl: 'apps/petctl',
};

export type Package = keyof typeof FOLDERS;

/** A project of a user: it has packages from their tarballs, installed with npm, and the programs of `consumers`. */
export interface Project {
  readonly folder: string;
  /** An empty folder from which no module of the project resolves. */
  readonly elsewhere: string;
  readonly tarballs: ReadonlyMap<string, string>;
  remove(): void;
}

const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };

/** Runs a program in a folder and returns its stdout. */
export const runIn = (folder: string, command: string, ...args: string[]) => run(folder, env, command, ...args);

/** A command that `tools` depends on. */
export const bin = (name: string) => join(root, 'tools/node_modules/.bin', name);

/** Packs these packages and installs them. Where they have no dependencies but each other, npm needs no registry. */
export async function newProject<Name extends string = Package>(
  packages: readonly Name[],
  folders: Readonly<Record<Name, string>> = FOLDERS as Readonly<Record<string, string>>,
): Promise<Project> {
  const { folder: parent, remove } = makeFolder('packaging');
  const [folder, elsewhere] = [join(parent, 'project'), join(parent, 'elsewhere')];
  await Promise.all([mkdir(folder), mkdir(elsewhere)]);
  const pack = async (name: Name) => {
    const args = ['pack', '--json', '--pack-destination', folder];
    const { filename }: { filename: string } = JSON.parse(await runIn(join(root, folders[name]), 'pnpm', ...args));
    return [name, filename] as const;
  };
  const tarballs = new Map(await Promise.all(packages.map(pack)));
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const offline = packages.every((name) => /types|client/.test(name)) ? ['--offline'] : [];
  await runIn(folder, 'npm', 'install', '--no-audit', '--no-fund', ...offline, ...tarballs.values());
  await cp(join(import.meta.dirname, 'consumers'), folder, { recursive: true });
  return { folder, elsewhere, tarballs, remove };
}
