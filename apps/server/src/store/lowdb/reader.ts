import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, reasonOf } from '../../files/errors.ts';
import { closing, openFile } from '../../files/files.ts';
import { StoreDamagedError, StoreUnavailableError } from '../errors.ts';
import type { Segment } from './catalog.ts';
import { segmentFile } from './segment-names.ts';

/** Bytes of a segment that stand side by side. */
export interface Span {
  readonly segment: number;
  start: number;
  end: number;
}

const BLOCK_BYTES = 2 ** 16;
const MAX_CACHE_BYTES = 2 ** 26;

/** A segment was merged into another one meanwhile: look the document up again. */
export class SegmentGoneError extends StoreUnavailableError {
  override readonly name = 'SegmentGoneError';
}

/** Reads documents: of segments that are not sealed from memory, of the others from disk, in blocks that a bounded cache holds. */
export class Reader {
  readonly #folder: string;
  readonly #segments: ReadonlyMap<number, Segment>;
  /** The least recently used block comes first. */
  readonly #blocks = new Map<number, Buffer>();
  #bytes = 0;

  constructor(folder: string, segments: ReadonlyMap<number, Segment>) {
    this.#folder = folder;
    this.#segments = segments;
  }

  /** The text of each span, each character for one byte; at once if all is in memory. */
  texts(spans: readonly Span[]): string[] | Promise<string[]> {
    const found: string[] = [];
    for (const span of spans) {
      const text = this.#cached(span);
      if (text === undefined) return this.#load(spans);
      found.push(text);
    }
    return found;
  }

  async #load(spans: readonly Span[]): Promise<string[]> {
    const found: string[] = [];
    for (const span of spans) found.push(this.#cached(span) ?? (await this.#read(span)));
    return found;
  }

  #cached({ segment, start, end }: Span): string | undefined {
    const bytes = this.#segments.get(segment)?.bytes;
    if (bytes) return bytes.toString('latin1', start, end);
    let text = '';
    for (let at = start; at < end; ) {
      const first = at - (at % BLOCK_BYTES);
      const block = this.#blocks.get(keyOf(segment, first));
      if (!block) return undefined;
      this.#use(keyOf(segment, first), block);
      text += block.toString('latin1', at - first, Math.min(end - first, BLOCK_BYTES));
      at = first + BLOCK_BYTES;
    }
    return text;
  }

  async #read({ segment, start, end }: Span): Promise<string> {
    const file = join(this.#folder, segmentFile(segment, true));
    const first = start - (start % BLOCK_BYTES);
    const length = Math.ceil((end - first) / BLOCK_BYTES) * BLOCK_BYTES;
    const bytes = Buffer.allocUnsafeSlow(length);
    try {
      const handle = await openFile(file);
      const bytesRead = await closing(handle, () => readAll(handle, bytes, first));
      if (bytesRead < end - first) throw new StoreDamagedError(file, 'the end of the file is missing');
    } catch (error) {
      if (error instanceof StoreDamagedError) throw error;
      if (errorCode(error) === 'ENOENT') throw new SegmentGoneError(file);
      throw new StoreUnavailableError(`${file}: cannot be read now (${reasonOf(error)}).`, { cause: error });
    }
    // A large document would push everything else out.
    if (length <= 2 ** 20) {
      for (let at = 0; at < length; at += BLOCK_BYTES) {
        this.#use(keyOf(segment, first + at), Buffer.from(bytes.subarray(at, at + BLOCK_BYTES)));
      }
    }
    return bytes.toString('latin1', start - first, end - first);
  }

  #use(key: number, block: Buffer): void {
    if (this.#blocks.delete(key)) this.#bytes -= BLOCK_BYTES;
    this.#blocks.set(key, block);
    this.#bytes += BLOCK_BYTES;
    for (const oldest of this.#blocks.keys()) {
      if (this.#bytes <= MAX_CACHE_BYTES) break;
      this.#blocks.delete(oldest);
      this.#bytes -= BLOCK_BYTES;
    }
  }
}

const keyOf = (segment: number, first: number) => segment * 2 ** 17 + first / BLOCK_BYTES;

/** Reads until the buffer or the file ends. */
async function readAll(handle: FileHandle, bytes: Buffer, position: number): Promise<number> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}
