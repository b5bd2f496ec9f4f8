import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { binary, environment } from './petctl.ts';

interface OnTerminal {
  code: number;
  /** What the terminal showed. */
  terminal: string;
  /** What went to stdout where that was a pipe. */
  pipe: string;
  /** How many of the steps were done. */
  steps: number;
}

interface Step {
  /** What has to have been seen, as a regular expression. */
  expect: string;
  /** What is typed then. */
  send: string;
}

/** Whether there is a Python that can make a pseudo-terminal. In CI there has to be one. */
export const hasTerminal = available('python3', ['-c', 'import pty, fcntl, termios']);

/** Whether a program runs here. What is missing is said; in CI it is an error, unless CI does not install it either. */
export function available(program: string, args: readonly string[] = ['--version'], inCi = true): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    if (process.env.CI && inCi) throw new Error(`${program} is needed for these tests in CI`);
    console.warn(`SKIPPED: there is no ${program}, so what needs it is not tested`);
    return false;
  }
}

/** Runs petctl, or another program, under a pseudo-terminal. */
export function onTerminal(
  args: readonly string[],
  {
    env = {},
    columns = 80,
    pipe = false,
    steps = [],
    program,
  }: {
    env?: Record<string, string | undefined>;
    columns?: number;
    pipe?: boolean;
    steps?: readonly Step[];
    program?: readonly string[];
  } = {},
): Promise<OnTerminal> {
  const argv = [...(program ?? [process.execPath, binary]), ...args];
  const given = Object.entries(environment({ TERM: 'xterm-256color', ...env })).filter(
    ([, value]) => value !== undefined,
  );
  const task = JSON.stringify({ argv, columns, pipe, steps, env: Object.fromEntries(given) });
  return new Promise((resolve, reject) => {
    execFile(
      'python3',
      [join(import.meta.dirname, 'terminal.py'), task],
      { encoding: 'utf8' },
      (error, stdout, stderr) => (error ? reject(new Error(stderr)) : resolve(JSON.parse(stdout))),
    );
  });
}
