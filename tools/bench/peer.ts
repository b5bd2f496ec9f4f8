// The processes of the bench: the measured servers, and the load generator that calls them.
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../repository.ts';
import type { LoadCommand, LoadResult } from './load.ts';
import type { Effort } from './measure.ts';
import { apiKey } from './pets.ts';
import type { Usage } from './probe.ts';
import type { Row } from './requests.ts';

/** The main file of the shipped server. */
export const ourServer = join(root, 'apps/server/src/main.js');

/** The file of a server that ours is compared with. */
export function peerFile(name: string): string {
  return join(import.meta.dirname, 'peers', `${name}.ts`);
}

/** What a load has measured, with the CPU time of the server in microseconds for each response. */
export interface Shot extends LoadResult {
  readonly user: number;
  readonly system: number;
  readonly cpu: number;
}

/** A measured server: a process that listens on a free port. */
export class Peer {
  readonly origin: string;
  readonly #child: ChildProcess;

  /** Starts a server, whose log goes to /dev/null. Ours takes its settings from the environment, as from a user. */
  static async start(file: string, folder: string, args: readonly string[] = []): Promise<Peer> {
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

  stop(): Promise<void> {
    return end(this.#child);
  }
}

/** The settings of a server of ours on a data folder, at a port of its own. */
export function serverSettings(folder: string, port = 0): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    PORT: `${port}`,
    PETSTORE_DATA_DIR: folder,
    PETSTORE_API_KEYS: `bench=${apiKey}`,
  };
}

/** The process that sends requests to one server after the other. */
export class LoadGenerator {
  readonly #child = fork(join(import.meta.dirname, 'load.ts'));

  constructor() {
    pin(this.#child, availableParallelism() - 1);
  }

  /** Sends the requests of a row to a server, after a tenth as many that warm it up. */
  async shoot(peer: Peer, row: Row, { requests, milliseconds }: Effort): Promise<Shot> {
    await this.#ask({ kind: 'connect', port: Number(new URL(peer.origin).port) });
    await this.#send(row, requests / 10, milliseconds / 10);
    const before = await peer.usage();
    const result = await this.#send(row, requests, milliseconds);
    const after = await peer.usage();
    const user = (after.user - before.user) / result.responses;
    const system = (after.system - before.system) / result.responses;
    return { ...result, user, system, cpu: user + system };
  }

  stop(): Promise<void> {
    return end(this.#child);
  }

  #send(row: Row, count: number, milliseconds: number): Promise<LoadResult> {
    return this.#ask({ kind: 'send', row, count, milliseconds });
  }

  #ask<Reply>(command: LoadCommand): Promise<Reply> {
    return ask(this.#child, command);
  }
}

/** Ends a process, and waits for its end. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}

/** Sends a message to a child, and returns its reply. Rejects if the child ends instead. */
function ask<Reply>(child: ChildProcess, message: object | string): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const onExit = () => reject(new Error('A process of the bench has ended.'));
  child.once('message', resolve);
  child.once('exit', onExit);
  child.send(message);
  return promise.finally(() => child.off('message', resolve).off('exit', onExit));
}

/** Reads the address that a server prints to stderr when it listens. */
async function originOf({ stderr }: ChildProcess): Promise<string> {
  let printed = '';
  for await (const text of stderr?.setEncoding('utf8').iterator({ destroyOnReturn: false }) ?? []) {
    printed += text;
    const address = /listens on +(\S+)/.exec(printed)?.[1];
    if (address === undefined) continue;
    stderr?.resume();
    return new URL(address).origin;
  }
  throw new Error(`A server did not start:\n${printed}`);
}

/** Keeps a process on one core, where `taskset` exists. */
function pin({ pid }: ChildProcess, core: number): void {
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `${core}`, `${pid}`]);
}
