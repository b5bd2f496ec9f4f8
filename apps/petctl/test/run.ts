// Runs petctl in the process of the tests. In the deep run, the same calls go through the built binary.
import { EventEmitter } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { isDeep } from '@petstore/testing';
import { run } from '../src/run.ts';
import { petctlBinary } from './binary.ts';
import { type Environment, environment } from './scratch.ts';

export interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** How a stream looks to petctl. */
interface Terminals {
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
  /** 0 for a terminal that does not know its width. */
  columns?: number;
}

/** A call of petctl that has not ended yet. */
export interface Running {
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  /** Sends a signal. */
  readonly kill: (signal: 'SIGINT' | 'SIGTERM') => void;
  readonly ended: Promise<number>;
}

/** Starts petctl in this process. */
export function start(
  args: readonly string[],
  env: Environment = {},
  terminals: Terminals = {},
): Running {
  const signals = new EventEmitter();
  const stdin = streamOf(terminals.stdin, terminals.columns);
  const stdout = streamOf(terminals.stdout, terminals.columns);
  const stderr = streamOf(terminals.stderr, terminals.columns);
  const context = {
    args,
    env: environment(env),
    signals,
    stdin,
    stdout,
    stderr,
    knowsProxies: true,
  };
  const ended = run(context).then((code) => {
    stdout.end();
    stderr.end();
    return code;
  });
  return { stdin, stdout, stderr, kill: (signal) => signals.emit(signal), ended };
}

function streamOf(isTTY = false, columns = 80): PassThrough & { isTTY: boolean; columns: number } {
  return Object.assign(new PassThrough(), { isTTY, columns });
}

/** Runs petctl until it ends. */
export async function petctl(
  args: readonly string[],
  env: Environment = {},
  input: string | Buffer = '',
): Promise<Result> {
  return isDeep ? petctlBinary(args, env, input) : runToEnd(args, env, input);
}

/** Runs petctl in this process until it ends, also in the deep run. */
export async function runToEnd(
  args: readonly string[],
  env: Environment = {},
  input: string | Buffer = '',
  terminals: Terminals = {},
): Promise<Result> {
  const running = start(args, env, terminals);
  running.stdin.end(input);
  return resultOf(running);
}

/** What a call prints until it ends. */
export async function resultOf({ stdout, stderr, ended }: Running): Promise<Result> {
  const texts = Promise.all([textOf(stdout), textOf(stderr)]);
  const code = await ended;
  const [out, err] = await texts;
  return { code, stdout: out, stderr: err };
}

async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const part of stream.setEncoding('utf8')) text += part;
  return text;
}
