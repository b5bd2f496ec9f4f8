import { closing, errorCode, openFile, readAll, reasonOf } from '../../files/files.ts';
import { StoreDamagedError, StoreUnavailableError } from '../errors.ts';
import type { Awaitable } from '../store.ts';
import type { Catalog, Segment } from './catalog.ts';
import type { Location } from './key-directory.ts';

/** A range of bytes in a segment. */
export interface Span {
  readonly segment: Segment;
  readonly start: number;
  /** Moves when a page appends the next document to the span. */
  end: number;
}

/** The size of a cached part of a segment. The last chunk of a segment is shorter. */
const CHUNK_BYTES = 2 ** 16;
const MAX_CHUNKS = 1024;
/** Chunks get distinct keys in segments up to 8 GiB, far above the size of a full segment. */
const MAX_CHUNKS_PER_SEGMENT = 2 ** 17;

/** The largest number of concurrent reads from disk. Each has an open file and memory, and Node has four threads for them. */
const MAX_READS = 8;

const chunkStart = (offset: number) => offset - (offset % CHUNK_BYTES);
const keyOf = (segment: number, start: number) => segment * MAX_CHUNKS_PER_SEGMENT + start / CHUNK_BYTES;

/** Thrown if the file of a segment does not exist, because a merge has replaced it. `retryRead` looks the document up again. */
class SegmentGoneError extends StoreUnavailableError {}

/**
 * Returns the bytes of each span as latin1 text, one character per byte. Returns an array if all spans are in memory, else a
 * promise.
 */
export type ReadTexts = (spans: readonly Span[]) => string[] | Promise<string[]>;

/** Reads unsealed segments from memory, and sealed segments, which never change, from disk in cached chunks. */
export function reader(catalog: Catalog): ReadTexts {
  /** The cached chunks by `keyOf`, least recently used first. */
  const chunks = new Map<number, Buffer>();
  /** Each read waits for the last one of its queue. Reads that begin in the same chunk share a queue, so the disk reads it once. */
  const queues: Promise<unknown>[] = Array.from({ length: MAX_READS }, () => Promise.resolve());

  return (spans) => {
    const texts = spans.map(cached);
    return texts.every((text) => text !== undefined) ? texts : load(spans);
  };

  async function load(spans: readonly Span[]): Promise<string[]> {
    const texts: string[] = [];
    // While one span is read, chunks are added and evicted, so each span is looked up at its turn.
    for (const span of spans) texts.push(cached(span) ?? (await readInTurn(span)));
    return texts;
  }

  function readInTurn(span: Span): Promise<string> {
    const queue = keyOf(span.segment.number, chunkStart(span.start)) % MAX_READS;
    const text = (queues[queue] as Promise<unknown>).then(() => cached(span) ?? read(span));
    // This promise drops the text, which the queue would otherwise hold in memory.
    queues[queue] = text.then(
      () => {},
      () => {},
    );
    return text;
  }

  function cached({ segment: { bytes, number }, start, end }: Span): string | undefined {
    if (bytes) return bytes.toString('latin1', start, end);
    let text = '';
    for (let offset = chunkStart(start); offset < end; offset += CHUNK_BYTES) {
      const key = keyOf(number, offset);
      const chunk = chunks.get(key);
      const to = Math.min(end - offset, CHUNK_BYTES);
      // A chunk that is too short comes from a truncated file. `read` reports that.
      if (!chunk || chunk.length < to) return undefined;
      setMostRecent(key, chunk);
      text += chunk.toString('latin1', Math.max(0, start - offset), to);
    }
    return text;
  }

  async function read({ segment, start, end }: Span): Promise<string> {
    const file = catalog.fileOf(segment);
    const from = chunkStart(start);
    const bytes = Buffer.allocUnsafeSlow(Math.ceil((end - from) / CHUNK_BYTES) * CHUNK_BYTES);
    let bytesRead: number;
    try {
      bytesRead = await closing(await openFile(file), (handle) => readAll(handle, bytes, from));
    } catch (error) {
      const Kind = errorCode(error) === 'ENOENT' ? SegmentGoneError : StoreUnavailableError;
      throw new Kind(`${file}: cannot be read now (${reasonOf(error)}).`, { cause: error });
    }
    if (bytesRead < end - from) throw new StoreDamagedError(file, 'the end of the file is missing');
    for (let at = 0; at < bytesRead; at += CHUNK_BYTES) {
      // A copy, because a part of `bytes` would hold the memory of all its chunks.
      const chunk = Buffer.from(bytes.subarray(at, Math.min(at + CHUNK_BYTES, bytesRead)));
      setMostRecent(keyOf(segment.number, from + at), chunk);
    }
    return bytes.toString('latin1', start - from, end - from);
  }

  /** Makes a chunk the most recently used. If it is new, adds it. */
  function setMostRecent(key: number, chunk: Buffer): void {
    chunks.delete(key);
    chunks.set(key, chunk);
    // The keys of a Map are in the order of insertion, so the first is the least recently used.
    if (chunks.size > MAX_CHUNKS) chunks.delete(chunks.keys().next().value ?? key);
  }
}

/** The maximum number of calls for one read. */
const MAX_ATTEMPTS = 100;

/** Calls `read`, and calls it again if a merge has removed a segment's file meanwhile. */
export function retryRead<T>(read: () => Awaitable<T>, attempt = 1): Awaitable<T> {
  const result = read();
  if (!(result instanceof Promise)) return result;
  return result.catch((error: unknown) => {
    if (error instanceof SegmentGoneError && attempt < MAX_ATTEMPTS) return retryRead(read, attempt + 1);
    throw error;
  });
}

export function spanOf({ segments }: Catalog, { segment, start, length }: Location): Span {
  // Every location in the directory is in a segment of the catalog.
  return { segment: segments.get(segment) as Segment, start, end: start + length };
}
