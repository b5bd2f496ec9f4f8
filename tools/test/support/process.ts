import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';

export type Env = Readonly<Record<string, string | undefined>>;

/** Only ends programs that hang: no test asserts a duration. */
const TIMEOUT_MS = 600_000;

/** npm, and the commands that it links, are scripts on Windows, which only a shell runs. A shell removes quotes from arguments. */
const needsShell = (command: string) =>
  process.platform === 'win32' &&
  (['npm', 'pnpm'].includes(command) || /[\\/]\.bin[\\/]/.test(command));

/** Runs a program to its end and returns its stdout. If it fails, rejects with its stdout and stderr. */
export function run(cwd: string, env: Env, command: string, ...args: string[]): Promise<string> {
  const options = { cwd, env, shell: needsShell(command), maxBuffer: 2 ** 26, timeout: TIMEOUT_MS };
  return new Promise((resolve, reject) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error)
        reject(new Error(`${command} ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });
}

/** Ends a process and waits until it is gone. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill();
  await ended;
}
