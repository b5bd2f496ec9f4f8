// Chains of processes that act as one command: stopping any of them also stops its children. Plain JavaScript, because some
// of it runs on the machine's own Node.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

const PARENT_CHECK_MS = 200;
const SHELLS = new Set(['sh', 'dash', 'bash', 'ash', 'busybox', 'zsh']);
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
let isWatching = false;

/**
 * Runs a command as a replacement of this process: forwards signals, stops the command when npm exits, and exits with its
 * code. Returns the child, which inherits stdio unless `options` override that.
 */
export function runInstead(command, args, options = {}) {
  // This variable makes every process of the command watch its parent, even if npm did not start the first one.
  const env = { ...process.env, npm_lifecycle_event: process.env.npm_lifecycle_event ?? 'run', ...options.env };
  const child = spawn(command, args, { stdio: 'inherit', ...options, env });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  stopWithParent();
  child.on('error', (error) => {
    console.error(`${command}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
  return child;
}

/**
 * Stops this process when npm has exited: after SIGKILL, npm cannot forward the signal, and a server would continue to hold
 * its port and data folder. If a shell runs between npm and this process, the shell's parent is watched as well. On
 * Windows, the system ends the shell together with npm.
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

/** The name and the parent of a process, if the system has /proc. */
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
