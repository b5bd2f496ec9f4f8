import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../files/errors.ts';
import { documentsIn } from '../store/document.ts';
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
    const pets = store.collection('pets');
    for (let after = 0; ; ) {
      const page = await pets.list({ after, limit });
      // The documents as they are stored, so that every property is carried along.
      const { encoding } = page.json;
      if (page.count > 0)
        yield Buffer.from(
          `${documentsIn(page)
            .map(({ text }) => text)
            .join('\n')}\n`,
          encoding,
        );
      animals += page.count;
      onProgress(animals);
      if (!page.more) return;
      after = page.last;
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
