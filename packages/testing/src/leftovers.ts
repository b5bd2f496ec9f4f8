import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** How long processes may take to end after the tests: their parent has just ended. */
const GRACE_MS = 2_000;

/** Gives the run a temporary folder of its own, and fails the run if files or processes are left behind in it. */
export function setup(): () => Promise<void> {
  // Node's own cache of compiled code is the same for every run. Without this, npm would put one into the folder.
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'petstore-')));
  // Programs that run as another user find their way through it.
  chmodSync(folder, 0o711);
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder;
  return async () => {
    const deadline = performance.now() + GRACE_MS;
    while (processesOf(folder).length > 0 && performance.now() < deadline) await setTimeout(20);
    const processes = processesOf(folder);
    const files = readdirSync(folder);
    for (const { pid } of processes) process.kill(pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    const left = [...files, ...processes.map(({ pid, command }) => `process ${pid}: ${command}`)];
    if (left.length > 0) throw new Error(`The tests left behind:\n  ${left.join('\n  ')}`);
  };
}

/** The running processes that were started with this temporary folder, other than vitest's own. Found on Linux only. */
function processesOf(folder: string): { pid: number; command: string }[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      if (!read(`/proc/${pid}/environ`).includes(`TMPDIR=${folder}\0`)) return [];
      const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
      return command === '' || command.includes('vitest') ? [] : [{ pid: Number(pid), command }];
    });
}

/** The text of a file under /proc, or none: a process may end meanwhile, or belong to somebody else. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
