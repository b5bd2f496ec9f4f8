// Runs the built petctl: by itself, in a line of bash, or on a terminal.
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { missingProgram, newFolder, skips } from '@petstore/testing';
import { afterAll } from 'vitest';
import { built } from './build.ts';

export interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

type Environment = Record<string, string | undefined>;

export const binary = join(built(), 'petctl.js');

/** The Node that runs the program. A deep test of the packages runs these tests with the oldest one that petctl is for. */
export const petctlNode = process.env.PETSTORE_TEST_PETCTL_NODE ?? process.execPath;

const cleanups: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** Registers what to do at the end of the test file; the last one is done first. */
export function atEnd(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** The folder of a test file, which is also the user's home. */
export const scratch = newFolder('petctl', atEnd);

/** Settings for a service that is not there. */
export const unreachable = {
  PETCTL_BASE_URL: 'http://127.0.0.1:1/v1',
  PETCTL_API_KEY: 'a-key',
  PETCTL_RETRIES: '0',
};

/** The environment of the program, without the machine's own settings. */
export function environment(more: Environment = {}): Environment {
  return { PATH: process.env.PATH, HOME: scratch, PETCTL_KEYRING: 'false', ...more };
}

/** Starts petctl. `preload` is a script that its Node runs before it. */
export function start(args: readonly string[], env: Environment = {}, preload = '') {
  const nodeArgs = preload
    ? ['--import', `data:text/javascript,${encodeURIComponent(preload)}`]
    : [];
  return spawn(petctlNode, [...nodeArgs, binary, ...args], { env: environment(env), cwd: scratch });
}

/** Runs petctl until it ends. */
export function petctl(
  args: readonly string[],
  env: Environment = {},
  input = '',
): Promise<Result> {
  return resultOf(start(args, env), input);
}

/** Runs a line of bash, in which `petctl` is the built program. A pipe has the exit code of the last command that failed. */
export function bash(line: string, env: Environment = {}): Promise<Result> {
  const script = `petctl() { '${petctlNode}' '${binary}' "$@"; }\n${line}`;
  return resultOf(
    spawn('bash', ['--norc', '-o', 'pipefail', '-c', script], {
      env: environment(env),
      cwd: scratch,
    }),
  );
}

/** What a program prints until it ends. */
export function resultOf(child: ChildProcessWithoutNullStreams, input = ''): Promise<Result> {
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

/** Runs petctl, or another program, under a pseudo-terminal. */
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
  const argv = [...program, ...args];
  const task = JSON.stringify({
    argv,
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
