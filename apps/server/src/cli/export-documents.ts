import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../files/errors.ts';
import { documentsIn } from '../store/document.ts';
import type { Collection } from '../store/store.ts';
import { UsageError } from './errors.ts';

/** Few enough that a page of the largest documents fits into memory. */
const PAGE_LIMIT = 250;

/** Writes every document of a collection, one a line, no faster than they are read; returns how many. */
export async function exportDocuments(
  collection: Collection,
  output: Writable,
  onProgress: (documents: number) => void,
): Promise<number> {
  let documents = 0;
  async function* lines() {
    for (let after = 0; ; ) {
      const page = await collection.list({ after, limit: PAGE_LIMIT });
      // The documents as they are stored, so that every property is carried along.
      const { encoding } = page.json;
      if (page.count > 0)
        yield Buffer.from(
          `${documentsIn(page)
            .map(({ text }) => text)
            .join('\n')}\n`,
          encoding,
        );
      documents += page.count;
      onProgress(documents);
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
  return documents;
}
