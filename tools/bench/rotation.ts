// Servers that are measured in turns over HTTP.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { type Effort, inRotation, newScratch, progress } from './measure.ts';
import { LoadGenerator, type Peer, type Shot } from './peer.ts';
import { fillFolder, size } from './pets.ts';
import type { Row } from './requests.ts';

/** Starts a server on a data folder with the first pets. */
export type StartPeer = (folder: string) => Promise<Peer>;

/** Running servers, each with a data folder of its own, and the load generator. */
export class Rotation<Name extends string> {
  readonly peers = {} as Record<Name, Peer>;
  readonly #load = new LoadGenerator();
  readonly #resources = new AsyncDisposableStack();

  static async start<Name extends string>(
    programs: Readonly<Record<Name, StartPeer>>,
  ): Promise<Rotation<Name>> {
    const rotation = new Rotation<Name>();
    try {
      await rotation.#start(programs);
    } catch (error) {
      await rotation[Symbol.asyncDispose]();
      throw error;
    }
    return rotation;
  }

  async #start(programs: Readonly<Record<Name, StartPeer>>): Promise<void> {
    const scratch = this.#resources.use(newScratch());
    const filled = join(scratch.path, 'filled');
    await fillFolder(filled, size);
    for (const [index, name] of (Object.keys(programs) as Name[]).entries()) {
      const folder = join(scratch.path, `${index}`);
      cpSync(filled, folder, { recursive: true });
      const peer = await programs[name](folder);
      this.#resources.defer(() => peer.stop());
      this.peers[name] = peer;
    }
  }

  /**
   * Sends requests of all kinds to all servers, as every real server gets them. V8 optimizes for what
   * a process has done so far: without this, two of the same program can differ by half.
   */
  async warmUp(effort: Effort): Promise<void> {
    progress('warming up');
    for (const name of Object.keys(this.peers) as Name[]) await this.shoot(name, 'mixed', effort);
  }

  /** Sends the requests of a row to all servers in turns. */
  measure(row: Row, effort: Effort): Promise<Record<Name, Shot[]>> {
    const subjects = {} as Record<Name, () => Promise<Shot>>;
    for (const name of Object.keys(this.peers) as Name[])
      subjects[name] = () => this.shoot(name, row, effort);
    return inRotation(row, subjects, effort.rounds);
  }

  /** Sends the requests of a row to one server. */
  shoot(name: Name, row: Row, effort: Effort): Promise<Shot> {
    return this.#load.shoot(this.peers[name], row, effort);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // First, because it does not expect that a server closes a connection.
    await this.#load.stop();
    await this.#resources.disposeAsync();
  }
}
