import type { NewPet, Pet } from '@petstore/types';
import { isDiskFull, StoreUnavailableError, StoreUncertainError } from '../errors.ts';
import { animal, textOf } from './animal.ts';

/** Where animals go to stay: a commit is durable once `append` resolves. */
export interface Ground {
  /** The identifier of the next animal. */
  readonly next: number;
  /** How many more animals one commit may bring now. */
  readonly room: number;
  append(texts: string[]): Promise<void>;
}

export interface Commit {
  animals: number;
  milliseconds: number;
}

interface Waiting {
  pet: NewPet;
  resolve(pet: Pet): void;
  reject(error: unknown): void;
}

/** A commit takes no further animal once it has this much text: the event loop must not stand still over large ones. */
const enoughText = 2 ** 20;

/**
 * Group commit: all that arrive while a commit runs share the next one, so many writers pay for one sync together.
 * After a failed write that more space would not cure, the disk is in an unknown state, and no more is written.
 */
export class Commits {
  readonly #ground: Ground;
  readonly #onCommit: (commit: Commit) => void;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #refusal: StoreUnavailableError | undefined;

  constructor(ground: Ground, onCommit: (commit: Commit) => void) {
    this.#ground = ground;
    this.#onCommit = onCommit;
  }

  get refusing(): boolean {
    return this.#refusal !== undefined;
  }

  create(pet: NewPet): Promise<Pet> {
    return new Promise((resolve, reject) => {
      if (this.#refusal) return reject(this.#refusal);
      this.#waiting.push({ pet, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Takes no further animal. Resolves when those that wait are kept. */
  async end(): Promise<void> {
    this.#refusal ??= new StoreUnavailableError('The store is closed.');
    await this.#running;
  }

  /** Takes no further animal, and none of those that wait. */
  refuse(reason: string, cause: unknown): void {
    this.#refusal = new StoreUnavailableError(reason, { cause });
    for (const { reject } of this.#waiting.splice(0)) reject(this.#refusal);
  }

  async #run(): Promise<void> {
    do {
      // Whatever else arrived in this turn of the event loop comes along.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#waiting.length > 0) await this.#commit();
    } while (this.#waiting.length > 0);
    this.#running = undefined;
  }

  async #commit(): Promise<void> {
    const started = performance.now();
    const { pets, texts } = this.#batch();
    const served = this.#waiting.splice(0, pets.length);
    try {
      await this.#ground.append(texts);
    } catch (error) {
      const refusal = this.#refusalFor(error);
      for (const { reject } of served) reject(refusal);
      return;
    }
    for (const [i, pet] of pets.entries()) served[i]?.resolve(pet);
    this.#onCommit({ animals: pets.length, milliseconds: performance.now() - started });
  }

  #batch(): { pets: Pet[]; texts: string[] } {
    const { next, room } = this.#ground;
    const pets: Pet[] = [];
    const texts: string[] = [];
    for (let length = 0; pets.length < Math.min(room, this.#waiting.length) && length < enoughText; ) {
      const { pet } = this.#waiting[pets.length] ?? {};
      if (!pet) break;
      const kept = animal(next + pets.length, pet);
      const text = textOf(kept);
      pets.push(kept);
      texts.push(text);
      length += text.length;
    }
    return { pets, texts };
  }

  #refusalFor(error: unknown): unknown {
    if (isDiskFull(error)) {
      return new StoreUnavailableError('The disk is full: free some space, then add the animal again.', {
        cause: error,
      });
    }
    const reason = `Writing failed (${error}): repair the disk, then restart the server.`;
    this.refuse(reason, error);
    return new StoreUncertainError(reason, { cause: error });
  }
}
