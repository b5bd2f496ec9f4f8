import type { NewPet, Pet } from '@petstore/types';
import { StoreUnavailableError } from '../errors.ts';
import type { Commit } from '../store.ts';
import { isRefusal } from './errors.ts';

/** Keeps these animals together, or none of them, and answers the identifier before the first one's. */
export type Keep = (pets: readonly NewPet[]) => Promise<number>;

interface Waiting {
  pet: NewPet;
  resolve(pet: Pet): void;
  reject(error: unknown): void;
}

/** A commit takes no further animal once it has so many, or so much text: nobody should have to wait for a long one. */
const enough = { animals: 1000, text: 2 ** 20 };

/** Group commit: all that arrive while a commit runs share the next one: one statement, one round trip, one sync. */
export class Creates {
  readonly #keep: Keep;
  readonly #onCommit: (commit: Commit) => void;
  readonly #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(keep: Keep, onCommit: (commit: Commit) => void) {
    this.#keep = keep;
    this.#onCommit = onCommit;
  }

  create(pet: NewPet): Promise<Pet> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new StoreUnavailableError('The store is closed.'));
      this.#waiting.push({ pet, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Takes no further animal. Resolves when those that wait are kept or refused. */
  async end(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    do {
      // Whatever else arrived in this turn of the event loop comes along.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#commit(this.#batch());
    } while (this.#waiting.length > 0);
    this.#running = undefined;
  }

  #batch(): Waiting[] {
    let text = 0;
    const full = this.#waiting.findIndex(({ pet }, i) => {
      text += pet.name.length;
      return i + 1 >= enough.animals || text >= enough.text;
    });
    return this.#waiting.splice(0, full < 0 ? this.#waiting.length : full + 1);
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    const started = performance.now();
    try {
      const before = await this.#keep(batch.map(({ pet }) => pet));
      for (const [i, { pet, resolve }] of batch.entries()) resolve(added(before + 1 + i, pet));
    } catch (error) {
      // One that cannot be kept must not take those with it that came at the same time.
      if (batch.length > 1 && isRefusal(error)) {
        for (const one of batch) await this.#commit([one]);
      } else {
        for (const { reject } of batch) reject(error);
      }
      return;
    }
    this.#onCommit({ writes: batch.length, milliseconds: performance.now() - started });
  }
}

function added(id: number, { name, categoryId, status }: NewPet): Pet {
  return { id, name, categoryId, ...(status !== undefined && { status }) };
}
