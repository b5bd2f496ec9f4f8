import { createReadStream, fstatSync, type Stats, statSync } from 'node:fs';
import { UsageError } from '../errors.ts';
import type { InputSource } from '../input.ts';
import { codeOf } from '../text.ts';

/** More bytes than any line has, also if the line is a whole JSON array. */
export const MAX_LENGTH = 64 * 2 ** 20;

/** A line of a file, without its line feed. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

/** The file of an import, or stdin for `-`. */
export class SourceFile {
  readonly #name: string;
  readonly #stdin: InputSource | undefined;
  readonly #stream: InputSource;

  constructor(name: string, stdin: InputSource) {
    this.#name = name;
    this.#stdin = name === '-' ? stdin : undefined;
    this.#stream = this.#stdin ?? createReadStream(name);
  }

  /** What identifies the file, and its size. stdin may be a file, too. */
  stats(): Stats | undefined {
    if (!this.#stdin) return statSync(this.#name);
    return this.#stdin.fd === undefined ? undefined : fstatSync(this.#stdin.fd);
  }

  /** Throws for a line that is not UTF-8, after all lines before it. */
  async *lines(): AsyncGenerator<Line> {
    let number = 0;
    try {
      for await (const bytes of splitLines(this.#stream)) {
        const text = decoder.decode(bytes);
        number++;
        yield { number, text: number === 1 ? text.replace(/^\ufeff/, '') : text };
      }
    } catch (error) {
      const place = number === 0 ? '' : ` after line ${number}`;
      const code = codeOf(error);
      if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
        throw new UsageError(`${this.#name} is not UTF-8${place}.`, 'Convert it to UTF-8.');
      throw new UsageError(
        `${this.#name} cannot be read${place} (${code}).`,
        'Check its name and its permissions.',
      );
    }
  }

  close(): void {
    this.#stream.destroy();
  }
}

/** The first line that is not blank. If all lines are blank, the last line. */
export async function firstLine(lines: AsyncGenerator<Line>): Promise<Line> {
  let first: Line = { number: 1, text: '' };
  while (first.text.trim() === '') {
    // Leaving a `for await` loop would close the file.
    const { done, value } = await lines.next();
    if (done) break;
    first = value;
  }
  return first;
}

/** The first line, and the lines after it. */
export async function* startingWith(first: Line, rest: AsyncIterable<Line>): AsyncGenerator<Line> {
  yield first;
  yield* rest;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes of each line. No character of UTF-8 contains the byte of a line feed. */
async function* splitLines(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let unfinished: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
      yield Buffer.concat([...unfinished, chunk.subarray(start, end)]);
      unfinished = [];
      length = 0;
      start = end + 1;
    }
    unfinished.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > MAX_LENGTH) throw new Error('a line is too long');
  }
  if (length > 0) yield Buffer.concat(unfinished);
}
