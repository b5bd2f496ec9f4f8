import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { built } from './build.ts';
import { onCleanup } from './cleanup.ts';

export interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Record<string, string | undefined>;
  input?: string;
  /** A script that its Node runs before it. */
  preload?: string;
  cwd?: string;
}

export const binary = join(built(), 'petctl.js');

/** The Node that runs the program. A deep test of the packages runs these tests with the oldest one that petctl is for. */
export const petctlNode = process.env.PETSTORE_TEST_PETCTL_NODE ?? process.execPath;

/** The folder of the current test file, which is also the user's home. */
export let scratch: string;

/** Creates the folder of the next test file. */
export function newScratch(): void {
  scratch = newFolder('petctl', onCleanup);
}

/** Settings for a service that is not there. */
export const unreachable = { PETCTL_BASE_URL: 'http://127.0.0.1:1/v1', PETCTL_API_KEY: 'a-key' };

/** The environment of the program, without the machine's own settings. */
export function environment(more: Record<string, string | undefined> = {}): Record<string, string | undefined> {
  return {
    PATH: process.env.PATH,
    HOME: scratch,
    XDG_CONFIG_HOME: join(scratch, 'config'),
    PETCTL_KEYRING: 'false',
    ...more,
  };
}

/** Starts the built program. */
export function start(args: readonly string[], { env, preload, cwd }: RunOptions = {}) {
  const nodeArgs = preload ? ['--import', `data:text/javascript,${encodeURIComponent(preload)}`] : [];
  return spawn(petctlNode, [...nodeArgs, binary, ...args], { env: environment(env), cwd: cwd ?? scratch });
}

/** Runs the built program until it ends. */
export function petctl(args: readonly string[], options: RunOptions = {}): Promise<Result> {
  return resultOf(start(args, options), options.input);
}

/** Runs a line of bash, in which `petctl` is the built program. A pipe has the exit code of the last command that failed. */
export function bash(line: string, env: RunOptions['env'] = {}): Promise<Result> {
  const script = `petctl() { '${petctlNode}' '${binary}' "$@"; }\n${line}`;
  return resultOf(spawn('bash', ['--norc', '-o', 'pipefail', '-c', script], { env: environment(env), cwd: scratch }));
}

function resultOf(child: ChildProcessWithoutNullStreams, input = ''): Promise<Result> {
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  return new Promise((done) => child.on('close', (code) => done({ code, ...output })));
}
