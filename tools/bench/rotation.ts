// Servers that are measured in turns over HTTP.
import { type ChildProcess, fork } from 'node:child_process';
import { cpSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { LoadCommand, LoadResult } from './load.ts';
import { type Effort, inRotation, newScratch, progress } from './measure.ts';
import { ask, type Command, end, Peer, pin } from './peer.ts';
import { fillFolder, PET_COUNT } from './pets.ts';
import type { Row } from './requests.ts';

/** What a load has measured, with the CPU time of the server in microseconds for each response. */
export interface Sample extends LoadResult {
  readonly user: number;
  readonly system: number;
  readonly cpu: number;
}

/** Running servers, each with a data folder of its own, and the process that sends them requests. */
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
   * Sends requests of all kinds to all servers, as every real server gets them. V8 optimizes for what
   * a process has done so far: without this, two of the same program can differ by half.
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

  /** Sends the requests of a row to one server, after a tenth as many that warm it up. */
  async sample(name: Name, row: Row, { requests, milliseconds }: Effort): Promise<Sample> {
    const peer = this.peers[name];
    await this.#ask({ kind: 'connect', port: Number(new URL(peer.origin).port) });
    await this.#send(row, requests / 10, milliseconds / 10);
    const before = await peer.usage();
    const result = await this.#send(row, requests, milliseconds);
    const after = await peer.usage();
    const user = (after.user - before.user) / result.responses;
    const system = (after.system - before.system) / result.responses;
    return { ...result, user, system, cpu: user + system };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }

  #names(): Name[] {
    return Object.keys(this.peers) as Name[];
  }

  #send(row: Row, count: number, milliseconds: number): Promise<LoadResult> {
    return this.#ask({ kind: 'send', row, count, milliseconds });
  }

  #ask<Reply>(command: LoadCommand): Promise<Reply> {
    return ask(this.#load, command);
  }
}
