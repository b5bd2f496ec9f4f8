import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { stop } from '../test/support/process.ts';

/** The CPU time of all threads of a process in microseconds, and its memory in bytes. */
interface Usage {
  cpu: number;
  /** The user part of the CPU time. */
  user: number;
  rss: number;
}

export interface Server {
  readonly port: number;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** A Node program to run; `stdout` is a file. */
interface Program {
  script: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  stdout?: string;
}

const cores = availableParallelism();

/** The load generator gets the last core, the servers all others. Empty where processes cannot be pinned. */
const pins =
  cores > 1 && spawnSync('taskset', ['-c', String(cores - 1), 'true']).status === 0
    ? { server: ['taskset', '-c', cores > 2 ? `0-${cores - 2}` : '0'], load: ['taskset', '-c', String(cores - 1)] }
    : { server: [], load: [] };

/** The command line that runs a program on the cores of its role. */
export function commandOn(role: keyof typeof pins, program: string, args: readonly string[]): string[] {
  return [...pins[role], program, ...args];
}

/** Runs a program of Node as a child that can be sent messages, on the cores of its role. */
export function run(role: keyof typeof pins, { script, args = [], env, stdout }: Program, flags: string[] = []) {
  const [command = '', ...rest] = commandOn(role, process.execPath, [...flags, script, ...args]);
  const out = stdout === undefined ? undefined : openSync(stdout, 'a');
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(command, rest, {
    env: { PATH, HOME, TMPDIR, ...env },
    stdio: ['ignore', out ?? 'ignore', 'pipe', 'ipc'],
  });
  if (out !== undefined) closeSync(out);
  return child;
}

/** The next message of a child; rejects if it exits or sends nothing in time. */
export async function nextMessage<T>(child: ChildProcess, timeoutMs = 30_000): Promise<T> {
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(timeoutMs)]);
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message as T),
      once(child, 'exit', { signal }).then(([code]) => Promise.reject(new Error(`It exited with ${code}.`))),
    ]);
  } finally {
    done.abort();
  }
}

/** Starts a server, which prints its address to stderr as soon as it listens. */
export async function startMeasured(program: Program): Promise<Server> {
  const child = run('server', program, ['--import', `data:text/javascript,${encodeURIComponent(`(${probe})()`)}`]);
  const port = await portOf(child, program.script);
  return {
    port,
    usage: () => {
      const usage = nextMessage<Usage>(child);
      child.send('usage');
      return usage;
    },
    stop: () => stop(child),
  };
}

/** Runs in every measured server: reports its CPU time and memory, and ends it with the bench. */
function probe(): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpu: user + system, user, rss: process.memoryUsage.rss() });
  });
  process.on('disconnect', () => process.exit());
  // The channel must not keep the process alive.
  process.channel?.unref();
}

/** The time for a server to listen. */
const START_MS = 60_000;

/** Returns the port that stderr names. Continues to read stderr, because a full pipe would block the server. */
function portOf(child: ChildProcess, script: string): Promise<number> {
  let output = '';
  return new Promise((resolve, reject) => {
    const fail = (problem: string) => reject(new Error(`${script} ${problem}. Its output: ${output}`));
    setTimeout(fail, START_MS, 'does not listen').unref();
    child.stderr?.on('data', (chunk) => {
      output += chunk;
      const [, port] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(output) ?? [];
      if (port) resolve(Number(port));
    });
    child.once('exit', () => fail('exited'));
    child.once('error', reject);
  });
}
