import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../store/errors.ts';
import type { Store } from '../store/store.ts';
import { UsageError } from './errors.ts';

/** Few enough that a page of the largest animals fits into memory. */
const limit = 250;

/** Writes every animal of the store, one a line, no faster than they are read; answers how many. */
export async function exportAnimals(
  store: Store,
  output: Writable,
  onProgress: (animals: number) => void,
): Promise<number> {
  let animals = 0;
  async function* lines() {
    for (let after = 0; ; ) {
      const page = await store.list({ after, limit });
      if (page.length > 0) yield page.map((pet) => `${JSON.stringify(pet)}\n`).join('');
      animals += page.length;
      onProgress(animals);
      if (page.length < limit) return;
      after = page.at(-1)?.id ?? after;
    }
  }
  try {
    await pipeline(Readable.from(lines()), output, { end: false });
  } catch (error) {
    if (errorCode(error) === 'EPIPE') throw new UsageError('nobody reads any more what is being exported.');
    throw error;
  }
  return animals;
}
