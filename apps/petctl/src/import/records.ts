import { createReadStream, fstatSync, type Stats, statSync } from 'node:fs';
import { exactJson, type Operation } from '@petstore/types';
import type { InputSource } from '../context.ts';
import { UsageError } from '../errors.ts';
import { parseJson } from '../input.ts';
import { csvRecords } from './csv-records.ts';
import { MAX_LINE, textOf } from './file-text.ts';
import { type ImportRecord, inputOf, linesOf, type RecordFile } from './record.ts';
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

/** The records of JSON Lines. Blank lines are none. */
async function* jsonLineRecords(
  chunks: AsyncIterable<string>,
  operation: Operation,
): AsyncGenerator<ImportRecord> {
  let number = 0;
  let isFirst = true;
  for await (const line of linesOf(chunks)) {
    number++;
    const text = line.trim();
    if (text === '') continue;
    const place = `line ${number}`;
    if (isFirst) checkOneLine(text, place);
    isFirst = false;
    yield { place, text, input: () => inputOf(parseJson(text, place), operation, place) };
  }
}

/** Throws if the first line begins an object that it does not end, as in indented JSON. */
function checkOneLine(text: string, place: string): void {
  if (text.endsWith('}')) return;
  throw new UsageError(
    `${place}: this looks like a JSON object on several lines.`,
    "Put each object on one line, as 'jq -c .' does, or all of them into an array.",
  );
}

/** The records of a JSON array, which is valid as a whole or not at all. */
async function* jsonArrayRecords(
  chunks: AsyncIterable<string>,
  operation: Operation,
): AsyncGenerator<ImportRecord> {
  let array = '';
  for await (const chunk of chunks) {
    array += chunk;
    if (array.length > MAX_LINE) throw new UsageError('The array is too large.', 'Use JSON Lines.');
  }
  const values = parseJson(array, 'The array');
  if (!Array.isArray(values)) return;
  for (const [index, value] of values.entries()) {
    const place = `element ${index + 1}`;
    yield { place, text: exactJson(value), input: () => inputOf(value, operation, place) };
  }
}
