import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { run } from './project.ts';

/** A program that runs JavaScript, and what it is called with before the script. */
export interface Runtime {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

export const pinnedNode: Runtime = { name: `Node ${process.versions.node}`, command: process.execPath, args: [] };

const skip = (what: string, why: string) =>
  console.warn(`\n!!! SKIPPED: the packages are not run in ${what}: ${why}.\n`);

/** The Node that the machine itself has, if it is another one and can load modules with `require`. */
export function machineNode(): Runtime[] {
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  const command = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, file))
    .find((candidate) => existsSync(candidate));
  if (!command || realpathSync(command) === realpathSync(process.execPath)) {
    skip("the machine's own Node", 'it has none beside the pinned one');
    return [];
  }
  const version = execFileSync(command, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) {
    return [{ name: `Node ${version}`, command, args: [] }];
  }
  skip("the machine's own Node", `${version} cannot load modules with require`);
  return [];
}

/**
 * Bun and Deno, whose binaries some packages of the registry hold. They are large, and nothing but this test needs them:
 * they are no dependencies, so that who only starts the server does not download them.
 */
const others = {
  'linux-x64': [
    { from: '@oven/bun-linux-x64-baseline@1.4.5', command: 'bin/bun', args: ['--no-install', 'run'] },
    {
      from: '@deno/linux-x64-glibc@2.9.6',
      command: 'deno',
      args: ['run', '--cached-only', '--allow-net', '--allow-env'],
    },
  ],
};

/** Installs Bun and Deno below a folder. Their absence may be passed over, but not in CI. */
export async function otherRuntimes(folder: string): Promise<Runtime[]> {
  const place = `${process.platform}-${process.arch}`;
  const available = Object.entries(others).find(([each]) => each === place)?.[1] ?? [];
  if (available.length === 0) skip('Bun and Deno', `there is none for ${place}`);
  const found = available.map(async ({ from, command, args }): Promise<Runtime[]> => {
    const name = from.slice(0, from.lastIndexOf('@'));
    const home = join(folder, name.replace('/', '-'));
    try {
      await mkdir(home);
      await writeFile(join(home, 'package.json'), '{"private":true}');
      await run(home, 'npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', from);
    } catch (error) {
      if (process.env.CI) throw error;
      skip(name, `it could not be installed: ${error}`);
      return [];
    }
    return [{ name: from, command: join(home, 'node_modules', name, command), args }];
  });
  return (await Promise.all(found)).flat();
}
