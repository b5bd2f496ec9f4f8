// Runs the built petctl as a process: by itself, in a line of bash, or on a terminal.
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { missingProgram, skips } from '@petstore/testing';
import { built } from './build.ts';
import { type Environment, environment, scratch } from './scratch.ts';

interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

export const binary = join(built(), 'petctl.js');

/** The Node that runs the program. */
export const petctlNode = process.execPath;

/** Starts the built petctl. `preload` is a script that its Node runs before it. */
export function startBinary(args: readonly string[], env: Environment = {}, preload = '') {
  const nodeArgs = preload
    ? ['--import', `data:text/javascript,${encodeURIComponent(preload)}`]
    : [];
  return spawn(petctlNode, [...nodeArgs, binary, ...args], { env: environment(env), cwd: scratch });
}

/** Runs the built petctl until it ends. */
export function petctlBinary(
  args: readonly string[],
  env: Environment = {},
  input: string | Buffer = '',
): Promise<Result> {
  return resultOfBinary(startBinary(args, env), input);
}

/** Runs a line of bash, in which `petctl` is the built program. A pipe has the exit code of the last command that failed. */
export function bash(line: string, env: Environment = {}): Promise<Result> {
  const script = `petctl() { '${petctlNode}' '${binary}' "$@"; }\n${line}`;
  const args = ['--norc', '-o', 'pipefail', '-c', script];
  return resultOfBinary(spawn('bash', args, { env: environment(env), cwd: scratch }));
}

/** What a program prints until it ends. */
export function resultOfBinary(
  child: ChildProcessWithoutNullStreams,
  input: string | Buffer = '',
): Promise<Result> {
  // A program may end without reading its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  return new Promise((done) => child.on('close', (code) => done({ code, ...output })));
}

/** Whether this machine has no Python with pseudo-terminals. */
export const hasNoTerminal = skips(
  'petctl on a terminal',
  missingProgram('python3', ['-c', 'import pty, fcntl, termios']),
  'python3',
);

interface TerminalOptions {
  env?: Environment;
  columns?: number;
  /** Whether stdout is a pipe. */
  pipe?: boolean;
  /** What to type when the output has a text, given as a regular expression. */
  steps?: readonly { expect: string; send: string }[];
  /** A program instead of petctl. */
  program?: readonly string[];
}

interface TerminalResult {
  code: number;
  /** The output on the terminal. */
  terminal: string;
  /** The output on stdout, if that was a pipe. */
  pipe: string;
  /** The number of finished steps. */
  steps: number;
}

/** Runs the built petctl, or another program, under a pseudo-terminal. */
export function onTerminal(
  args: readonly string[],
  options: TerminalOptions = {},
): Promise<TerminalResult> {
  const {
    env = {},
    columns = 80,
    pipe = false,
    steps = [],
    program = [petctlNode, binary],
  } = options;
  const task = JSON.stringify({
    argv: [...program, ...args],
    columns,
    pipe,
    steps,
    env: environment({ TERM: 'xterm-256color', ...env }),
  });
  return new Promise((resolve, reject) => {
    execFile(
      'python3',
      [join(import.meta.dirname, 'terminal.py'), task],
      (error, stdout, stderr) => (error ? reject(new Error(stderr)) : resolve(JSON.parse(stdout))),
    );
  });
}
