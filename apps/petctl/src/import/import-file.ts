import { createReadStream, fstatSync, type Stats, statSync } from 'node:fs';
import type { InputSource } from '../context.ts';
import { UsageError } from '../errors.ts';
import { codeOf } from '../text.ts';

/** An array of JSON may be on one line, and is held in memory. */
export const MAX_LINE = 64 * 2 ** 20;

/** The file of an import, or stdin for `-`. */
export class ImportFile {
  readonly #name: string;
  readonly #stdin: InputSource | undefined;
  readonly #stream: InputSource;

  constructor(name: string, stdin: InputSource) {
    this.#name = name;
    this.#stdin = name === '-' ? stdin : undefined;
    this.#stream = this.#stdin ?? createReadStream(name);
  }

  /** In bytes; 0 where it is not known. */
  get size(): number {
    return statSync(this.#name, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Identifies the file. stdin may be one, too. */
  status(): Stats | undefined {
    if (!this.#stdin) return statSync(this.#name);
    return this.#stdin.fd === undefined ? undefined : fstatSync(this.#stdin.fd);
  }

  /**
   * The text in pieces of whole lines. Throws for a line that is not UTF-8, behind all lines before
   * it.
   */
  async *pieces(): AsyncGenerator<string> {
    let read = 0;
    try {
      for await (const bytes of wholeLines(this.#stream)) {
        for (const text of decoded(bytes)) {
          yield read === 0 ? text.replace(/^\ufeff/, '') : text;
          read += Buffer.byteLength(text);
        }
      }
    } catch (error) {
      const place = read === 0 ? '' : ` after byte ${read}`;
      throw new UsageError(
        `${this.#name} cannot be read${place} (${codeOf(error)}).`,
        'Check its name, its permissions and that its encoding is UTF-8.',
      );
    }
  }

  close(): void {
    this.#stream.destroy();
  }
}

/** The lines of such pieces, without their line feeds. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    const lines = piece.split('\n');
    // Only the end of the file may lack a line feed.
    if (piece.endsWith('\n')) lines.pop();
    yield* lines;
  }
}

/**
 * Yields a stream in pieces that end with a line. No character of UTF-8 contains the byte of a line
 * feed.
 */
async function* wholeLines(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let unfinished: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const end = chunk.lastIndexOf('\n') + 1;
    if (end > 0) {
      yield Buffer.concat([...unfinished, chunk.subarray(0, end)]);
      unfinished = [];
      length = 0;
    }
    unfinished.push(chunk.subarray(end));
    length += chunk.length - end;
    if (length > MAX_LINE) throw new Error('a line is too long');
  }
  yield Buffer.concat(unfinished);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The text of some lines at once. If one of them is not UTF-8, yields those before it, and throws.
 */
function* decoded(lines: Buffer): Generator<string> {
  const whole = decodeOrNone(lines);
  if (whole !== undefined) return yield whole;
  let start = 0;
  while (start < lines.length) {
    const lineFeed = lines.indexOf('\n', start);
    const end = lineFeed < 0 ? lines.length : lineFeed + 1;
    yield decoder.decode(lines.subarray(start, end));
    start = end;
  }
}

function decodeOrNone(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    // The caller decodes again, line by line.
    return undefined;
  }
}
