import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { textOf, trySignal } from './index.ts';

/** How long processes of the tests may take to end, for example children of a killed browser. */
const END_MS = 60_000;

/** Gives the run its own temporary folder, and fails if files or processes remain. */
export function setup(): () => Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'petstore-')));
  // Programs that run as another user need to traverse it.
  chmodSync(folder, 0o711);
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder;
  return async () => {
    const until = Date.now() + END_MS;
    while (Date.now() < until) {
      if (processesOf(folder).length === 0) break;
      await pause(50);
    }
    // npm and pnpm cache compiled code there.
    const files = readdirSync(folder).filter((name) => name !== 'node-compile-cache');
    const processes = processesOf(folder);
    for (const { pid } of processes) trySignal(pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    const left = [...files, ...processes.map(({ pid, command }) => `process ${pid}: ${command}`)];
    if (left.length > 0) throw new Error(`The tests left behind:\n  ${left.join('\n  ')}`);
  };
}

/**
 * The running processes with this temporary folder in their environment, except vitest's own. On
 * Linux; elsewhere none.
 */
function processesOf(folder: string): { pid: number; command: string }[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => textOf(`/proc/${pid}/environ`).includes(`TMPDIR=${folder}\0`))
    .map((pid) => ({
      pid: Number(pid),
      command: textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim(),
    }))
    .filter(({ command }) => command !== '' && !command.includes('vitest'));
}
