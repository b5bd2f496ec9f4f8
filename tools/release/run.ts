import { execFileSync, spawnSync } from 'node:child_process';
import { root } from '../repository.ts';

/** What npm links are scripts on Windows, and only a shell runs those. */
const shellFor = (command: string) => process.platform === 'win32' && command !== 'git';

/** Runs a program to its end, in sight of whoever waits for it. What follows counts on it, so its failure ends everything. */
export function run(command: string, ...args: string[]): void {
  const { status, signal, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: shellFor(command) });
  if (error) throw error;
  if (status !== 0) throw new Error(`\`${[command, ...args].join(' ')}\` ended with ${status ?? signal}.`);
}

/** What a program prints. */
export function said(command: string, ...args: string[]): string {
  const stdio = ['ignore', 'pipe', 'inherit'] satisfies ('ignore' | 'pipe' | 'inherit')[];
  return execFileSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio,
    shell: shellFor(command),
  });
}
