// Runs a command in place of this process. Plain JavaScript, because some of it runs on the machine's own Node.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';

const setpriv = '/usr/bin/setpriv';

/**
 * Runs a command in place of this process. On Linux the command gets SIGTERM when its parent ends, even by SIGKILL: npm could
 * not forward that, and a server would continue to hold its port and its data folder.
 */
export function runInstead(command, args, env = {}) {
  const all = { ...process.env, ...env };
  const isTied = process.platform === 'linux' && existsSync(setpriv);
  const tied = isTied ? [setpriv, '--pdeathsig', 'TERM', '--', command, ...args] : [command, ...args];
  if (isTied && process.execve) process.execve(setpriv, tied, all);

  const [file = '', ...rest] = tied;
  const child = spawn(file, rest, { stdio: 'inherit', env: all, shell: process.platform === 'win32' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`${command}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}
