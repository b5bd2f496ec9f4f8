// The processes, programs, users and ports of the machine that runs the tests.
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { promisify } from 'node:util';

/**
 * Whether there is a reason to skip a test. Prints the reason, which `npm test` repeats at its end. `install` names the Debian
 * packages that the test needs: in CI, skipping such a test is an error.
 */
export function skips(what: string, reason: string | undefined, install?: string): boolean {
  if (reason === undefined) return false;
  if (install && process.env.CI) throw new Error(`${what} is not tested: ${reason}. Install ${install}.`);
  console.warn(`SKIPPED: ${what}: ${reason}${install ? `; install ${install}` : ''}`);
  return true;
}

/** The reason to skip a test of a program that does not run here; `undefined` if it runs. */
export function missingProgram(program: string, args: readonly string[] = ['--version']): string | undefined {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0 ? undefined : `${program} does not run here`;
}

/** The reason to skip a test that runs a POSIX shell; `undefined` if this system has one. */
export const missingShell = process.platform === 'win32' ? 'Windows has no POSIX shell' : undefined;

/** A user by numbers, as `spawn` takes it. */
export interface User {
  uid: number;
  gid: number;
}

/** An unprivileged user if this process runs as root: PostgreSQL does not run as root, and root ignores permissions. */
export function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout));
    if (uid && gid) return { uid, gid };
  }
  return { uid: 65_534, gid: 65_534 };
}

/**
 * A free port for a program that cannot choose one itself. It is below the range from which the system assigns ports, so
 * that no connection and no other server takes it before the program does.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = 10_000 + Math.floor(Math.random() * 22_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error('There is no free port.');
}

/** The children of a process. Does not block, so the test can keep the process busy until it sends a signal. */
export async function childrenOf(pid: number): Promise<number[]> {
  if (process.platform !== 'linux') {
    const { stdout } = await promisify(execFile)('pgrep', ['-P', String(pid)]).catch(() => ({ stdout: '' }));
    return stdout.split('\n').filter(Boolean).map(Number);
  }
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(all.map((name) => readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')));
  const parentOf = (stat: string) => Number(stat.slice(stat.lastIndexOf(')') + 1).split(' ')[2]);
  return stats.filter((stat) => parentOf(stat) === pid).map((stat) => Number.parseInt(stat, 10));
}

/** Sends a signal to a process that may have ended. */
export function trySignal(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
