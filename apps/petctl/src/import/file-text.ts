import { UsageError } from '../errors.ts';
import { codeOf } from '../text.ts';

/** An array of JSON may be on one line, and is held in memory. */
export const MAX_LINE = 64 * 2 ** 20;

/** The text of a file in pieces of whole lines. Throws for a line that is not UTF-8, behind all lines before it. */
export async function* textOf(stream: AsyncIterable<Buffer>, name: string): AsyncGenerator<string> {
  const pieces = wholeLines(stream);
  let read = 0;
  try {
    for await (const bytes of pieces) {
      for (const text of decoded(bytes)) {
        yield read === 0 ? text.replace(/^\ufeff/, '') : text;
        read += Buffer.byteLength(text);
      }
    }
  } catch (error) {
    const place = read === 0 ? '' : ` after byte ${read}`;
    throw new UsageError(
      `${name} cannot be read${place} (${codeOf(error)}).`,
      'Check its name, its permissions and that its encoding is UTF-8.',
    );
  }
}

/** Yields a stream in pieces that end with a line. No character of UTF-8 contains the byte of a line feed. */
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

/** The text of some lines at once. If one of them is not UTF-8, yields those before it, and throws. */
function* decoded(lines: Buffer): Generator<string> {
  const whole = decodeOrNone(lines);
  if (whole !== undefined) return yield whole;
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf('\n', start) + 1 || lines.length;
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
