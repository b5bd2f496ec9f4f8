import { createReadStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { exactJson, type Operation, parseScalar, typeIn } from '@petstore/types';
import { UsageError } from './errors.ts';
import { csvLine } from './formats.ts';
import { checkComplete, checkMembers, checkNames, type Input, parseJson } from './input.ts';
import { columnsOf } from './output.ts';
import { codeOf, isObject, kebab, unescapeCell } from './text.ts';

/** A record of a file: where it stands, its text to store it in another file, and its input. */
export interface ImportRecord {
  readonly place: string;
  readonly text: string;
  /** Throws a UsageError if the record cannot be sent. */
  readonly input: () => Input;
}

/** The line that begins another file with some of the records, and the records. */
type RecordFile = readonly [header: string, records: AsyncIterable<ImportRecord>];

/** More than servers accept: a file without line ends or with an open quote would fill the memory. */
const MAX_RECORD = 4 * 2 ** 20;
/** An array is held in memory. */
const MAX_ARRAY = 64 * 2 ** 20;

/** Opens a file, or stdin for `-`. `size` is 0 where it is not known. */
export function openText(file: string) {
  const stream = file === '-' ? process.stdin : createReadStream(file);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  let read = 0;
  async function* chunks(): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    try {
      for await (const chunk of stream) {
        read += chunk.length;
        yield decoder.decode(chunk, { stream: true });
      }
      yield decoder.decode();
    } catch (error) {
      throw new UsageError(
        `${file} cannot be read after byte ${read} (${codeOf(error)}).`,
        'Check name and encoding.',
      );
    }
  }
  return { chunks: chunks(), size, close: () => stream.destroy() };
}

/** The records of JSON Lines, a JSON array or CSV; the first character tells which. */
export async function readRecords(
  chunks: AsyncGenerator<string>,
  operation: Operation,
): Promise<RecordFile> {
  let next = await chunks.next();
  while (!next.done && next.value.trim() === '') next = await chunks.next();
  const start: string = next.value ?? '';
  async function* all() {
    yield start;
    yield* chunks;
  }
  const first = start.trimStart().charAt(0);
  if (first === '[') return ['', elementsOf(all(), operation)];
  return first === '{' || first === ''
    ? ['', linesOf(all(), operation)]
    : csvRecords(all(), operation);
}

/** The records of JSON Lines. Blank lines are none. */
async function* linesOf(
  chunks: AsyncIterable<string>,
  operation: Operation,
): AsyncGenerator<ImportRecord> {
  let [number, rest] = [0, ''];
  async function* lines() {
    for await (const chunk of chunks) {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      if (rest.length > MAX_RECORD)
        throw new UsageError(`Line ${number + 1} does not end.`, 'Later ones are not added.');
      yield* parts;
    }
    yield rest;
  }
  for await (const line of lines()) {
    const [text, place] = [line.trim(), `line ${++number}`];
    if (text !== '')
      yield { place, text, input: () => inputOf(parseJson(text, place), operation, place) };
  }
}

/** The records of a JSON array, which is valid as a whole or not at all. */
async function* elementsOf(
  chunks: AsyncIterable<string>,
  operation: Operation,
): AsyncGenerator<ImportRecord> {
  let array = '';
  for await (const chunk of chunks) {
    array += chunk;
    if (array.length > MAX_ARRAY)
      throw new UsageError('The array is too large.', 'Use JSON Lines.');
  }
  for (const [index, value] of (parseJson(array, 'The array') as unknown[]).entries()) {
    const place = `element ${index + 1}`;
    yield { place, text: exactJson(value), input: () => inputOf(value, operation, place) };
  }
}

/** The input of a record. What petctl lists has members that the operation does not take, such as the identifier. */
function inputOf(value: unknown, operation: Operation, place: string): Input {
  if (isObject(value))
    for (const name of columnsOf(operation))
      if (!Object.hasOwn(operation.fields, name)) delete value[name];
  return checkComplete(checkMembers(value, operation, place), operation, place);
}

/** What csv-parse makes of a record. Only an empty cell without quotes is undefined. */
interface CsvRow {
  readonly info: { readonly lines: number };
  readonly record: readonly (string | undefined)[];
}

async function csvRecords(
  chunks: AsyncGenerator<string>,
  operation: Operation,
): Promise<RecordFile> {
  const { parse } = await import('csv-parse');
  const parser = parse({
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD,
    cast: (text, { quoting }) => (quoting || text !== '' ? text : undefined),
  });
  // An error of the file ends the iteration of the parser.
  pipeline(chunks, parser, () => {});
  const rows: AsyncIterator<CsvRow> = parser[Symbol.asyncIterator]();
  const next = () =>
    rows.next().catch((error: Error) => {
      throw error instanceof UsageError
        ? error
        : new UsageError(`CSV: ${error.message}.`, 'Later ones are not added.');
    });
  const first = await next();
  const titles = first.done ? [] : first.value.record.map((title = '') => title.trim());
  const known = [...new Set([...Object.keys(operation.fields), ...columnsOf(operation)])];
  const names = titles.map(
    (title) => known.find((name) => name === title || kebab(name) === title) ?? title,
  );
  checkNames(names, known, 'The header of the CSV');
  if (new Set(names).size < names.length)
    throw new UsageError('The header of the CSV has a column twice.');
  async function* records(): AsyncGenerator<ImportRecord> {
    for (let row = await next(); !row.done; row = await next()) {
      const { info, record } = row.value;
      const place = `line ${info.lines}`;
      const input = () => {
        if (record.length !== names.length)
          throw new UsageError(`${place}: it has not as many cells as the header.`);
        return inputOf(memberValues(record, names, operation), operation, place);
      };
      yield { place, text: csvLine(record).trimEnd(), input };
    }
  }
  return [csvLine(titles), records()];
}

/** An object of the cells. A cell that has not the type of its member stays text, which the service rejects. */
function memberValues(
  cells: CsvRow['record'],
  names: readonly string[],
  { fields }: Operation,
): object {
  const members = names.map((name, i) => {
    const [cell, type = 'string'] = [cells[i], typeIn(fields[name]?.schema ?? {})];
    if (cell === undefined) return [name, cell];
    return [name, type === 'string' ? unescapeCell(cell) : (parseScalar(cell, type) ?? cell)];
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}
