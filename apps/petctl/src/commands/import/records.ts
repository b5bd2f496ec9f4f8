import { UsageError } from '../../io/errors.ts';
import { rejectLarge } from '../../io/files.ts';
import { isObject } from '../../io/text.ts';
import type { Operation } from '../../old.ts';
import { propertiesIn } from '../../output/format.ts';
import type { Input } from '../../parse/command.ts';
import { checkProperties, missingFields, parseInputJson } from '../input-from-flags.ts';
import { type Columns, type CsvRecord, csvInput, csvRecords, inputNames } from './csv.ts';

export type FileFormat = 'jsonl' | 'json' | 'csv';

/** A record of the file: its line, its text, and its input. */
export interface InputRecord {
  readonly line: number;
  readonly raw: string;
  /** Returns the input of the call, or throws a UsageError if it violates the spec. */
  readonly read: () => Input;
}

type InputRecords = AsyncGenerator<InputRecord>;

/** The records of a file, and the text that frames records in another file of the same format. */
export interface ImportedRecords {
  readonly records: InputRecords;
  readonly frame: { readonly head: string; readonly between: string; readonly tail: string };
  /** The ignored properties so far: the operation returns but does not accept them, as in an exported list. */
  readonly ignored: ReadonlySet<string>;
}

/** Reads a file as records. Without a `requestedFormat`, the first character of the file decides the format. */
export async function readRecords(
  chunks: AsyncIterable<string>,
  requestedFormat: FileFormat | undefined,
  operation: Operation,
): Promise<ImportedRecords> {
  const { first, all } = await peek(chunks);
  const format = requestedFormat ?? (first === '[' ? 'json' : first === '{' || first === '' ? 'jsonl' : 'csv');
  const ignorable = propertiesIn(operation).filter((name) => !Object.hasOwn(operation.fields, name));
  const ignored = new Set<string>();
  const toInput: ToInput = (data, place) => {
    if (!isObject(data)) throw new UsageError(`${place} is not a JSON object.`);
    const known = Object.entries(data).filter(([name]) => !ignorable.includes(name));
    for (const name of ignorable) if (Object.hasOwn(data, name)) ignored.add(name);
    return rejectIncomplete(checkProperties(Object.fromEntries(known), operation, place), operation, place);
  };
  if (format === 'json')
    return { records: jsonArray(all, toInput), frame: { head: '[\n', between: ',\n', tail: '\n]\n' }, ignored };
  if (format === 'jsonl')
    return { records: jsonLines(all, toInput), frame: { head: '', between: '\n', tail: '\n' }, ignored };
  const records = csvRecords(all);
  const { value: header } = await records.next();
  const columns = header ? inputNames(header, operation, ignorable) : [];
  for (const [i, name] of columns.entries()) if (name === undefined) ignored.add(header?.cells[i] ?? '');
  const frame = { head: `${header?.raw ?? ''}\n`, between: '\n', tail: '\n' };
  return { records: fromCsv(records, columns, operation), frame, ignored };
}

/** The first character that is not white space, and all chunks from the beginning. */
async function peek(chunks: AsyncIterable<string>): Promise<{ first: string; all: AsyncGenerator<string> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const start: string[] = [];
  let [first, length] = ['', 0];
  while (first === '') {
    const { done, value } = await iterator.next();
    if (done) break;
    start.push(value);
    length += value.length;
    rejectLarge(length, 'the white space before the first record', 'Remove it.');
    first = value.trimStart().slice(0, 1);
  }
  async function* all() {
    yield* start;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  }
  return { first, all: all() };
}

async function* fromCsv(records: AsyncIterable<CsvRecord>, columns: Columns, operation: Operation): InputRecords {
  for await (const record of records) {
    const { line, raw } = record;
    yield { line, raw, read: () => rejectIncomplete(csvInput(record, columns, operation), operation, `line ${line}`) };
  }
}

/** The input in a JSON value; errors name its place in the file. */
type ToInput = (data: unknown, place: string) => Input;

async function* jsonLines(chunks: AsyncIterable<string>, toInput: ToInput): InputRecords {
  let line = 1;
  /** Pieces of the current line. Joining the pieces at every chunk would take quadratic time, so they are joined at the end of the line. */
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const [end = '', ...parts] = chunk.split('\n');
    pieces.push(end);
    length += end.length;
    for (const part of parts) {
      yield* oneLine(pieces.join(''), line++, toInput);
      pieces = [part];
      length = part.length;
    }
    rejectLarge(length, `line ${line}`);
  }
  yield* oneLine(pieces.join(''), line, toInput);
}

function* oneLine(text: string, line: number, toInput: ToInput): Generator<InputRecord> {
  const raw = text.replace(/\r$/, '');
  const place = `line ${line}`;
  if (raw.trim() !== '') yield { line, raw, read: () => toInput(parseInputJson(raw, place), place) };
}

/** Yields the elements of an array. The line of an element is its position. The array has to fit into memory. */
async function* jsonArray(chunks: AsyncIterable<string>, toInput: ToInput): InputRecords {
  let text = '';
  for await (const chunk of chunks) {
    text += chunk;
    rejectLarge(text.length, 'the file');
  }
  const data = parseInputJson(text, 'the file');
  if (!Array.isArray(data)) return yield { line: 1, raw: text.trim(), read: () => toInput(data, 'the file') };
  const texts = elementTexts(text);
  for (const [i, element] of data.entries()) {
    const line = i + 1;
    yield { line, raw: texts.next().value ?? '', read: () => toInput(element, `element ${line}`) };
  }
}

/** The text of each element of a valid JSON array. An element that was parsed and written again could have other numbers. */
function* elementTexts(json: string): Generator<string, undefined> {
  let [depth, start] = [0, 0];
  for (let at = 0; at < json.length; at++) {
    const character = json[at] ?? '';
    if (character === '"') for (at++; json[at] !== '"'; ) at += json[at] === '\\' ? 2 : 1;
    else if ('[{'.includes(character) && depth++ === 0) start = at + 1;
    else if (']}'.includes(character)) depth--;
    if (character === ',' ? depth > 1 : character !== ']' || depth > 0) continue;
    yield json.slice(start, at).trim();
    start = at + 1;
  }
}

/** Returns the input, or throws if a required property is missing. */
function rejectIncomplete(input: Input, operation: Operation, place: string): Input {
  const missing = missingFields(operation, input);
  if (missing.length > 0)
    throw new UsageError(`${place}: ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`);
  return input;
}
