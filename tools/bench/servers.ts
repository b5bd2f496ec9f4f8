// The measured servers: processes that are sent the same requests in turns.
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../repository.ts';
import type { LoadCommand, LoadResult } from './load.ts';
import { type Effort, inRotation, newScratch, progress } from './measure.ts';
import { apiKey, fillFolder, PET_COUNT, type Row } from './workload.ts';

/** The file and arguments of a server. It takes its data folder from the environment. */
type Command = readonly [file: string, ...args: string[]];

/** The shipped server. */
export const ours: Command = [join(root, 'apps/server/src/main.js')];

/** Fastify with the features of ours. */
export const fastify = peer('fastify', 'parity');

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
    return new Peer(await waitForOrigin(child), child);
  }

  private constructor(origin: string, child: ChildProcess) {
    this.origin = origin;
    this.#child = child;
  }

  /** The microseconds of CPU that the process has used so far. */
  cpu(): Promise<number> {
    return ask(this.#child, 'cpu');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return end(this.#child);
  }
}

/** What a load has measured. */
export interface Sample extends LoadResult {
  /** The microseconds of CPU of the server for each response. */
  readonly cpu: number;
}

/** The CPU time of each sample. */
export function cpuSamples(samples: readonly Sample[]): number[] {
  return samples.map(({ cpu }) => cpu);
}

/**
 * Running servers, each with a data folder of its own, and the process that sends them requests.
 */
export class Rotation<Name extends string> {
  readonly peers: Readonly<Record<Name, Peer>>;
  readonly #load: ChildProcess;
  readonly #resources: AsyncDisposableStack;

  static async start<Name extends string>(
    servers: Readonly<Record<Name, Command>>,
  ): Promise<Rotation<Name>> {
    await using resources = new AsyncDisposableStack();
    const scratch = resources.use(newScratch());
    const filled = join(scratch.path, 'filled');
    await fillFolder(filled, PET_COUNT);
    const peers = {} as Record<Name, Peer>;
    for (const [index, name] of (Object.keys(servers) as Name[]).entries()) {
      const folder = join(scratch.path, `${index}`);
      cpSync(filled, folder, { recursive: true });
      peers[name] = resources.use(await Peer.start(servers[name], folder));
    }
    const load = fork(join(import.meta.dirname, 'load.ts'));
    pin(load, availableParallelism() - 1);
    // It ends first, because it does not expect that a server closes a connection.
    resources.defer(() => end(load));
    return new Rotation(peers, load, resources.move());
  }

  private constructor(
    peers: Readonly<Record<Name, Peer>>,
    load: ChildProcess,
    resources: AsyncDisposableStack,
  ) {
    this.peers = peers;
    this.#load = load;
    this.#resources = resources;
  }

  /**
   * Sends requests of all kinds to all servers, because every real server gets all kinds. V8
   * optimizes for what a process has done so far: without this, two processes of the same program
   * can differ by half.
   */
  async warmUp(effort: Effort): Promise<void> {
    progress('warming up');
    for (const name of this.#names()) await this.sample(name, 'mixed', effort);
  }

  /** Sends the requests of a row to all servers in turns. */
  measure(row: Row, effort: Effort): Promise<Record<Name, Sample[]>> {
    const subjects = {} as Record<Name, { measure: () => Promise<Sample> }>;
    for (const name of this.#names())
      subjects[name] = { measure: () => this.sample(name, row, effort) };
    return inRotation(row, subjects, effort.rounds);
  }

  /** Warms a server up with a tenth of the requests of a row, and then sends it all of them. */
  async sample(name: Name, row: Row, { requests, milliseconds }: Effort): Promise<Sample> {
    const peer = this.peers[name];
    const command: LoadCommand = {
      port: Number(new URL(peer.origin).port),
      row,
      count: requests,
      milliseconds,
    };
    await ask(this.#load, { ...command, count: requests / 10, milliseconds: milliseconds / 10 });
    const before = await peer.cpu();
    const result = await ask<LoadResult>(this.#load, command);
    const after = await peer.cpu();
    return { ...result, cpu: (after - before) / result.responses };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }

  #names(): Name[] {
    return Object.keys(this.peers) as Name[];
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
function ask<Reply>(child: ChildProcess, message: object | string): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const onExit = () => reject(new Error('A process of the bench has ended.'));
  child.once('message', resolve);
  child.once('exit', onExit);
  child.send(message);
  return promise.finally(() => child.off('message', resolve).off('exit', onExit));
}

/** Keeps a process on one core, where `taskset` exists. */
function pin({ pid }: ChildProcess, core: number): void {
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `${core}`, `${pid}`]);
}

/** Waits until a server prints its address to stderr. */
function waitForOrigin({ stderr }: ChildProcess): Promise<string> {
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
