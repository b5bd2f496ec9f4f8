import type { Operation } from '@petstore/types';
import { checkMembers } from '../../call/body.ts';
import { UsageError } from '../../io/errors.ts';
import { isObject } from '../../io/files.ts';
import { complete, csvReader, csvRecords, type InputLine } from './csv.ts';

export type FileFormat = 'jsonl' | 'json' | 'csv';

/** A file as lines, with what a file of some of its lines has around them. */
export interface Lines {
  readonly lines: AsyncIterable<InputLine>;
  readonly frame: { readonly head: string; readonly between: string; readonly tail: string };
}

/** Reads a file as lines. Its first character tells what it is, where nobody does. */
export async function readLines(
  chunks: AsyncIterable<string>,
  given: FileFormat | undefined,
  operation: Operation,
): Promise<Lines> {
  const { first, all } = await peek(chunks);
  const format = given ?? (first === '[' ? 'json' : first === '{' || first === '' ? 'jsonl' : 'csv');
  if (format === 'csv') {
    const records = csvRecords(all);
    const { value: header } = await records.next();
    return header
      ? { lines: csvReader(header, records, operation), frame: { head: `${header.raw}\n`, between: '\n', tail: '\n' } }
      : { lines: none(), frame: { head: '', between: '', tail: '' } };
  }
  return format === 'json'
    ? { lines: jsonArray(all, operation), frame: { head: '[\n', between: ',\n', tail: '\n]\n' } }
    : { lines: jsonLines(all, operation), frame: { head: '', between: '\n', tail: '\n' } };
}

async function* none(): AsyncGenerator<InputLine> {}

/** The first character that is not white, and everything from the beginning. `TextDecoder` has left out a byte order mark. */
async function peek(chunks: AsyncIterable<string>): Promise<{ first: string; all: AsyncGenerator<string> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const start: string[] = [];
  let first = '';
  while (first === '') {
    const { done, value } = await iterator.next();
    if (done) break;
    start.push(value);
    first = value.trimStart().slice(0, 1);
  }
  async function* all() {
    yield* start;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  }
  return { first, all: all() };
}

async function* jsonLines(chunks: AsyncIterable<string>, operation: Operation): AsyncGenerator<InputLine> {
  let line = 1;
  /** The line that has begun, piece by piece: put together at each piece, a long one would take time with its square. */
  let pieces: string[] = [];
  for await (const chunk of chunks) {
    const [end = '', ...parts] = chunk.split('\n');
    pieces.push(end);
    for (const part of parts) {
      yield* oneLine(pieces.join(''), line++, operation);
      pieces = [part];
    }
  }
  yield* oneLine(pieces.join(''), line, operation);
}

function* oneLine(text: string, line: number, operation: Operation): Generator<InputLine> {
  const raw = text.replace(/\r$/, '');
  if (raw.trim() !== '') yield { line, raw, read: () => members(parsed(raw, `line ${line}`), operation, line) };
}

/** Elements of an array count as lines. The whole of it has to fit into memory. */
async function* jsonArray(chunks: AsyncIterable<string>, operation: Operation): AsyncGenerator<InputLine> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  const data = parsed(text, 'the file');
  for (const [i, element] of (Array.isArray(data) ? data : [data]).entries()) {
    const line = i + 1;
    yield { line, raw: JSON.stringify(element), read: () => members(element, operation, line) };
  }
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${what} is no JSON (${error instanceof Error ? error.message : error}).`);
  }
}

function members(data: unknown, operation: Operation, line: number): Record<string, unknown> {
  if (!isObject(data)) throw new UsageError(`line ${line} is no JSON object.`);
  return complete(checkMembers(data, operation, `line ${line}`), operation, line);
}
