import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The children of a process. It blocks nothing meanwhile, so that a signal meets the process in the middle of its work. */
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

export function trySignal(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended meanwhile.
  }
}
