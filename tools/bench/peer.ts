// The processes of the bench: the measured servers, and what all processes share.
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../repository.ts';
import { apiKey } from './pets.ts';
import type { Usage } from './probe.ts';

/** How a server is started: its file and arguments. It takes its data folder from the environment. */
export type Command = readonly [file: string, ...args: string[]];

/** The shipped server. */
export const ours: Command = [join(root, 'apps/server/src/main.js')];

/** Fastify with what ours promises. */
export const fastify = peer('fastify', 'promises');

/** A server that ours is compared with. */
export function peer(name: string, ...args: string[]): Command {
  return [join(import.meta.dirname, 'peers', `${name}.ts`), ...args];
}

/** A measured server: a process that listens on a free port. */
export class Peer {
  readonly origin: string;
  readonly #child: ChildProcess;

  /** Starts a server on one core. Its log goes to /dev/null. */
  static async start([file, ...args]: Command, folder: string): Promise<Peer> {
    const child = fork(file, args, {
      env: serverSettings(folder),
      execArgv: ['--import', pathToFileURL(join(import.meta.dirname, 'probe.ts')).href],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    pin(child, 0);
    return new Peer(await originOf(child), child);
  }

  private constructor(origin: string, child: ChildProcess) {
    this.origin = origin;
    this.#child = child;
  }

  /** The CPU time that the process has used so far, in microseconds. */
  usage(): Promise<Usage> {
    return ask(this.#child, 'usage');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return end(this.#child);
  }
}

/** The settings of a server on a data folder, in the environment, as a user gives them to ours. */
export function serverSettings(folder: string, port = 0): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    PORT: `${port}`,
    PETSTORE_DATA_DIR: folder,
    PETSTORE_API_KEYS: `bench=${apiKey}`,
  };
}

/** Ends a process, and waits for its end. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}

/** Sends a message to a child, and returns its reply. Rejects if the child ends instead. */
export function ask<Reply>(child: ChildProcess, message: object | string): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const onExit = () => reject(new Error('A process of the bench has ended.'));
  child.once('message', resolve);
  child.once('exit', onExit);
  child.send(message);
  return promise.finally(() => child.off('message', resolve).off('exit', onExit));
}

/** Keeps a process on one core, where `taskset` exists. */
export function pin({ pid }: ChildProcess, core: number): void {
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `${core}`, `${pid}`]);
}

/** The address that a server prints to stderr when it listens. */
function originOf({ stderr }: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let printed = '';
  stderr?.setEncoding('utf8');
  stderr?.on('data', (text: string) => {
    printed += text;
    const address = /listens on +(\S+)/.exec(printed)?.[1];
    if (address !== undefined) resolve(new URL(address).origin);
  });
  stderr?.on('end', () => reject(new Error(`A server did not start:\n${printed}`)));
  return promise;
}
