import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { whenOver } from './after-all.ts';
import { built } from './build.ts';

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Record<string, string | undefined>;
  input?: string;
  /** The Node that runs it. */
  node?: string;
  nodeArgs?: string[];
  cwd?: string;
}

export const binary = join(built(), 'petctl.js');

/** A folder of its own for each test file, which also stands for the home of the user. */
export let scratch: string;

/** Makes it, for the file that begins. */
export function newScratch(): void {
  scratch = newFolder('petctl', whenOver);
}

/** What the program finds in its environment: nothing of the machine's own settings. */
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
export function start(args: readonly string[], { env, node = process.execPath, nodeArgs = [], cwd }: RunOptions = {}) {
  return spawn(node, [...nodeArgs, binary, ...args], { env: environment(env), cwd: cwd ?? scratch });
}

/** Runs the built program to its end. */
export function petctl(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const child = start(args, options);
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
    });
  return new Promise((done) => child.on('close', (code) => done({ code, ...said })));
}
