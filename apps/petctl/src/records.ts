import { createReadStream, fstatSync, type Stats, statSync } from 'node:fs';
import type { Operation } from '@petstore/types';
import type { InputSource } from './context.ts';
import { csvRecords } from './csv-records.ts';
import { UsageError } from './errors.ts';
import { jsonArrayRecords, jsonLineRecords } from './json-records.ts';
import type { RecordFile } from './record.ts';
import { codeOf } from './text.ts';
import { tsvRecords } from './tsv-records.ts';

/** Opens a file, or stdin for `-`. */
export function openFile(file: string, stdin: InputSource) {
  const isStdin = file === '-';
  const stream = isStdin ? stdin : createReadStream(file);
  return {
    chunks: textOf(stream, file),
    /** In bytes; 0 where it is not known. */
    size: statSync(file, { throwIfNoEntry: false })?.size ?? 0,
    /** Identifies the file. stdin may be one, too. */
    status: (): Stats | undefined => {
      if (!isStdin) return statSync(file);
      return stdin.fd === undefined ? undefined : fstatSync(stdin.fd);
    },
    close: () => {
      stream.destroy();
    },
  };
}

async function* textOf(stream: AsyncIterable<Buffer>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let read = 0;
  try {
    for await (const chunk of stream) {
      yield decoder.decode(chunk, { stream: true });
      read += chunk.length;
    }
    yield decoder.decode();
  } catch (error) {
    const place = read === 0 ? '' : ` after byte ${read}`;
    throw new UsageError(
      `${name} cannot be read${place} (${codeOf(error)}).`,
      'Check its name, its permissions and that its encoding is UTF-8.',
    );
  }
}

/** The records of a file. Its beginning tells whether it is JSON Lines, a JSON array, TSV or CSV. */
export async function readRecords(
  chunks: AsyncGenerator<string>,
  operation: Operation,
): Promise<RecordFile> {
  const start = await readFirstLine(chunks);
  async function* all() {
    yield start;
    yield* chunks;
  }
  const first = start.trimStart().charAt(0);
  if (first === '[') return { header: '', records: jsonArrayRecords(all(), operation) };
  if (first === '{' || first === '')
    return { header: '', records: jsonLineRecords(all(), operation) };
  const [line = ''] = start.trimStart().split('\n');
  return line.includes('\t')
    ? tsvRecords(all(), line, operation)
    : csvRecords(all(), line, operation);
}

/** More than any first line with the names of columns has. */
const MAX_FIRST_LINE = 2 ** 16;

/** The beginning of a file with its first line that is not blank, or with the first character of JSON. */
async function readFirstLine(chunks: AsyncGenerator<string>): Promise<string> {
  let start = '';
  while (start.length < MAX_FIRST_LINE) {
    const text = start.trimStart();
    if (text.startsWith('{') || text.startsWith('[') || text.includes('\n')) break;
    const { done, value } = await chunks.next();
    if (done) break;
    start += value;
  }
  return start;
}
