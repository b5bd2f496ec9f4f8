// Processes that stand for one command: however one of them is stopped, what it started stops as well. Plain JavaScript,
// because some of it runs on whatever Node the machine has.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const PARENT_CHECK_MS = 200;
const SHELLS = new Set(['sh', 'dash', 'bash', 'ash', 'busybox', 'zsh']);
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
let isWatching = false;

/**
 * Runs a command in the place of this process: passes signals on, stops it when npm goes away, and ends as it ends. It
 * returns the child, whose output is that of this process unless `options` say otherwise.
 */
export function runInstead(command, args, options = {}) {
  // The variable has every process of the command watch its parent, also where npm did not start the first one.
  const env = { ...process.env, npm_lifecycle_event: process.env.npm_lifecycle_event ?? 'run', ...options.env };
  const child = spawn(command, args, { stdio: 'inherit', ...options, env });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  stopWithParent();
  child.on('error', (error) => {
    console.error(`${command}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 143);
  });
  return child;
}

/**
 * Stops this process when npm has gone away: killed with SIGKILL, it cannot pass the signal on, and a server would keep the
 * port and the data folder. Where a shell stands between npm and this process, the shell's parent is watched as well. On
 * Windows the shell is ended by the system together with npm.
 */
export function stopWithParent() {
  if (!process.env.npm_lifecycle_event || isWatching) return;
  isWatching = true;
  const parent = process.ppid;
  const shell = SHELLS.has(processInfo(parent).name) ? processInfo(parent) : undefined;
  const timer = setInterval(() => {
    const isOrphan = process.ppid !== parent || !isRunning(parent);
    if (!isOrphan && (!shell || processInfo(parent).parent === shell.parent)) return;
    clearInterval(timer);
    if (process.listenerCount('SIGTERM') === 0) process.exit(143);
    process.emit('SIGTERM', 'SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** The name and the parent of a process, where the system shows them as a file. */
function processInfo(pid) {
  try {
    const [, name, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').match(/\((.*)\) \S (\d+)/s) ?? [];
    return { name, parent };
  } catch {
    return {};
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
