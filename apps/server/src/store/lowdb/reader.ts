import { closing, errorCode, openFile, readAll, reasonOf } from '../../files/files.ts';
import { StoreDamagedError, StoreUnavailableError } from '../errors.ts';
import type { Awaitable } from '../store.ts';
import type { Catalog, Segment } from './catalog.ts';
import type { Location } from './key-directory.ts';

/** A range of bytes in a segment. */
export interface Span {
  readonly segment: Segment;
  readonly start: number;
  end: number;
}

/** Sealed segments are read and cached in chunks of this size. */
const CHUNK_BYTES = 2 ** 16;
const MAX_CHUNKS = 1024;

/** The segment was merged and removed during a read. Another lookup finds the document's new location. */
class SegmentGoneError extends StoreUnavailableError {
  override readonly name = 'SegmentGoneError';
}

/** Reads the spans as latin1 text; synchronously if all are in memory. */
export type ReadTexts = (spans: readonly Span[]) => string[] | Promise<string[]>;

/** Reads unsealed segments from memory, and sealed segments from disk through a bounded cache of chunks. */
export function reader(catalog: Catalog): ReadTexts {
  /** The cached chunks of files, least recently used first. */
  const chunks = new Map<number, Buffer>();

  return (spans) => {
    const found: string[] = [];
    for (const span of spans) {
      const text = cached(span);
      if (text === undefined) return load(spans);
      found.push(text);
    }
    return found;
  };

  async function load(spans: readonly Span[]): Promise<string[]> {
    const found: string[] = [];
    for (const span of spans) found.push(cached(span) ?? (await read(span)));
    return found;
  }

  function cached({ segment: { bytes, number }, start, end }: Span): string | undefined {
    if (bytes) return bytes.toString('latin1', start, end);
    let text = '';
    for (let first = start - (start % CHUNK_BYTES); first < end; first += CHUNK_BYTES) {
      const chunk = touch(keyOf(number, first));
      if (!chunk) return undefined;
      text += chunk.toString('latin1', Math.max(0, start - first), Math.min(end - first, CHUNK_BYTES));
    }
    return text;
  }

  async function read({ segment, start, end }: Span): Promise<string> {
    const file = catalog.fileOf(segment);
    const from = start - (start % CHUNK_BYTES);
    const bytes = Buffer.allocUnsafeSlow(Math.ceil((end - from) / CHUNK_BYTES) * CHUNK_BYTES);
    try {
      const done = await closing(await openFile(file), (handle) => readAll(handle, bytes, from));
      if (done < end - from) throw new StoreDamagedError(file, 'the end of the file is missing');
    } catch (error) {
      if (error instanceof StoreDamagedError) throw error;
      if (errorCode(error) === 'ENOENT') throw new SegmentGoneError(file);
      throw new StoreUnavailableError(`${file}: cannot be read now (${reasonOf(error)}).`, { cause: error });
    }
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
      touch(keyOf(segment.number, from + at), Buffer.from(bytes.subarray(at, at + CHUNK_BYTES)));
    return bytes.toString('latin1', start - from, end - from);
  }

  /** Returns a cached chunk, or adds a chunk, and makes it the most recently used. */
  function touch(key: number, chunk = chunks.get(key)): Buffer | undefined {
    if (!chunk) return undefined;
    chunks.delete(key);
    chunks.set(key, chunk);
    const [oldest = key] = chunks.keys();
    if (chunks.size > MAX_CHUNKS) chunks.delete(oldest);
    return chunk;
  }
}

/** The maximum number of lookups for a document that moves while it is read. */
const MAX_ATTEMPTS = 100;

/** Calls `attempt`, and repeats it if a segment was removed meanwhile. */
export function retryRead<T>(attempt: () => Awaitable<T>, attempts = 1): Awaitable<T> {
  const found = attempt();
  if (!(found instanceof Promise)) return found;
  return found.catch((error: unknown) => {
    if (error instanceof SegmentGoneError && attempts < MAX_ATTEMPTS) return retryRead(attempt, attempts + 1);
    throw error;
  });
}

export function spanOf({ segments }: Catalog, { segment, start, length }: Location): Span {
  // Every location in the directory is in a segment of the catalog.
  return { segment: segments.get(segment) as Segment, start, end: start + length };
}

const keyOf = (segment: number, first: number) => segment * 2 ** 17 + first / CHUNK_BYTES;
