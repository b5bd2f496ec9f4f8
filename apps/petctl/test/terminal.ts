import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { missingProgram, skips } from '@petstore/testing';
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

/** Whether this machine has no Python that makes pseudo-terminals. */
export const hasNoTerminal = skips(
  'petctl on a terminal',
  missingProgram('python3', ['-c', 'import pty, fcntl, termios']),
  'python3',
);

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
