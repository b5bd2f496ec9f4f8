import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../files/errors.ts';
import { documentsIn } from '../store/document.ts';
import type { Collection } from '../store/store.ts';
import { UsageError } from './errors.ts';

/** A page of the largest documents has to fit into memory. */
const PAGE_LIMIT = 250;

/** Writes every document of a collection, one per line, with backpressure. Returns their number. */
export async function exportDocuments(
  collection: Collection,
  output: Writable,
  onProgress: (documents: number) => void,
): Promise<number> {
  let documents = 0;
  async function* lines() {
    for (let after = 0; ; ) {
      const page = await collection.list({ after, limit: PAGE_LIMIT });
      // The stored text, so that no property is lost.
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
    if (errorCode(error) === 'EPIPE') throw new UsageError('the reader of the export has closed it.');
    throw error;
  }
  return documents;
}
