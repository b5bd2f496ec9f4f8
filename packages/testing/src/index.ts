// What tests need of the machine: folders, ports, programs and processes.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Whether this is `npm run test:deep`, which runs every suite at full length. */
export const isDeep = process.env.PETSTORE_TEST_DEEP === '1';

/** `quick` in the quick run, and `deep` in the deep run, which repeats more to be more certain. */
export function rounds<T = number>(quick: T, deep: T): T {
  return isDeep ? deep : quick;
}

/**
 * Creates a folder. `onEnd` registers its removal: by default for the end of the running test, with
 * `afterAll` for the end of the file.
 */
export function newFolder(
  name = 'test',
  onEnd: (remove: () => void) => void = onTestFinished,
): string {
  const { folder, remove } = makeFolder(name);
  onEnd(remove);
  return folder;
}

/** Creates a folder that outlives a test. Call `remove` to remove it. */
export function makeFolder(name: string): { folder: string; remove(): void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `${name}-`)));
  return {
    folder,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

/**
 * Whether there is a reason to skip a test. Prints the reason, which `npm test` repeats at its end.
 * `install` names the Debian packages that the test needs: in CI, skipping such a test is an error.
 */
export function skips(what: string, reason: string | undefined, install?: string): boolean {
  if (reason === undefined) return false;
  if (install && process.env.CI)
    throw new Error(`${what} is not tested: ${reason}. Install ${install}.`);
  console.warn(`SKIPPED: ${what}: ${reason}${install ? `; install ${install}` : ''}`);
  return true;
}

/** The reason to skip a test of a program that does not run here; undefined if it runs. */
export function missingProgram(
  program: string,
  args: readonly string[] = ['--version'],
): string | undefined {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
    ? undefined
    : `${program} does not run here`;
}

/** The reason to skip a test that runs a POSIX shell; undefined if this system has one. */
export const missingShell = process.platform === 'win32' ? 'Windows has no POSIX shell' : undefined;

/**
 * A free port for a program that cannot choose one itself. It is below the range from which the
 * system assigns ports, so that no connection and no other server takes it before the program does.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = 10_000 + Math.floor(Math.random() * 22_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').catch(() => false);
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error('There is no free port.');
}

/** The children of all threads of a process, on Linux; elsewhere none. */
export function childrenOf(pid: number): number[] {
  const lists = globSync(`/proc/${pid}/task/*/children`).map(textOf);
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/**
 * The text of a file under /proc. It is empty if the process has ended or belongs to another user, or
 * if the system has no /proc.
 */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Sends a signal to a process that may have ended. */
export function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
