import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { missingProgram, skips } from '@petstore/testing';
import { binary, environment, petctlNode } from './petctl.ts';

interface TerminalResult {
  code: number;
  /** The output on the terminal. */
  terminal: string;
  /** The output on stdout, if that was a pipe. */
  pipe: string;
  /** The number of finished steps. */
  steps: number;
}

interface Step {
  /** The output to wait for, as a regular expression. */
  expect: string;
  /** The text to type then. */
  send: string;
}

/** Whether this machine has no Python with pseudo-terminals. */
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
): Promise<TerminalResult> {
  const argv = [...(program ?? [petctlNode, binary]), ...args];
  const task = JSON.stringify({ argv, columns, pipe, steps, env: environment({ TERM: 'xterm-256color', ...env }) });
  return new Promise((resolve, reject) => {
    execFile(
      'python3',
      [join(import.meta.dirname, 'terminal.py'), task],
      { encoding: 'utf8' },
      (error, stdout, stderr) => (error ? reject(new Error(stderr)) : resolve(JSON.parse(stdout))),
    );
  });
}
