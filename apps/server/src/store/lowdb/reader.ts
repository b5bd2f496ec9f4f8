import { join } from 'node:path';
import { errorCode, reasonOf } from '../../files/errors.ts';
import { closing, openFile, readAll } from '../../files/files.ts';
import { StoreDamagedError, StoreUnavailableError } from '../errors.ts';
import type { Segment } from './catalog.ts';
import { segmentFile } from './sealed-segment.ts';

/** Bytes of a segment that stand side by side. */
export interface Span {
  readonly segment: Segment;
  readonly start: number;
  end: number;
}

const BLOCK_BYTES = 2 ** 16;
const MAX_BLOCKS = 1024;

/** The documents of a segment were moved meanwhile, and it was removed: look them up again. */
export class SegmentGoneError extends StoreUnavailableError {
  override readonly name = 'SegmentGoneError';
}

/** Reads documents: of segments that are not sealed from memory, of the others from disk, in blocks that a bounded cache holds. */
export class Reader {
  readonly #folder: string;
  /** The least recently used block comes first. */
  readonly #blocks = new Map<number, Buffer>();

  constructor(folder: string) {
    this.#folder = folder;
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

  #cached({ segment: { bytes, number }, start, end }: Span): string | undefined {
    if (bytes) return bytes.toString('latin1', start, end);
    let text = '';
    for (let first = start - (start % BLOCK_BYTES); first < end; first += BLOCK_BYTES) {
      const block = this.#use(keyOf(number, first));
      if (!block) return undefined;
      text += block.toString('latin1', Math.max(0, start - first), Math.min(end - first, BLOCK_BYTES));
    }
    return text;
  }

  async #read({ segment: { number }, start, end }: Span): Promise<string> {
    const file = join(this.#folder, segmentFile(number, 'json'));
    const from = start - (start % BLOCK_BYTES);
    const bytes = Buffer.allocUnsafeSlow(end - from + BLOCK_BYTES - ((end - from) % BLOCK_BYTES));
    try {
      const handle = await openFile(file);
      const done = await closing(handle, () => readAll(handle, bytes, from));
      if (done < end - from) throw new StoreDamagedError(file, 'the end of the file is missing');
    } catch (error) {
      if (error instanceof StoreDamagedError) throw error;
      if (errorCode(error) === 'ENOENT') throw new SegmentGoneError(file);
      throw new StoreUnavailableError(`${file}: cannot be read now (${reasonOf(error)}).`, { cause: error });
    }
    for (let at = 0; at < bytes.length; at += BLOCK_BYTES)
      this.#use(keyOf(number, from + at), Buffer.from(bytes.subarray(at, at + BLOCK_BYTES)));
    return bytes.toString('latin1', start - from, end - from);
  }

  /** A block of the cache, which is the last to leave it now. */
  #use(key: number, block = this.#blocks.get(key)): Buffer | undefined {
    if (!block) return undefined;
    this.#blocks.delete(key);
    this.#blocks.set(key, block);
    const [oldest = key] = this.#blocks.keys();
    if (this.#blocks.size > MAX_BLOCKS) this.#blocks.delete(oldest);
    return block;
  }
}

const keyOf = (segment: number, first: number) => segment * 2 ** 17 + first / BLOCK_BYTES;
