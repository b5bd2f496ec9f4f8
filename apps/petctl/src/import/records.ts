import { exactJson, type Operation, typeIn } from '@petstore/types';
import { UsageError } from '../errors.ts';
import { parseJson } from '../input.ts';
import { unescapeTsvCell } from '../output/escapes.ts';
import { shapeOf } from '../output/printer.ts';
import { csvRecords } from './csv-records.ts';
import { linesOf, MAX_LINE } from './import-file.ts';
import {
  checkColumns,
  columnNames,
  type ImportRecord,
  inputOf,
  inputOfCells,
  knownColumns,
  type RecordFile,
} from './record.ts';

/** The records of a text, which comes in pieces of whole lines. The first line tells its format. */
export async function readRecords(
  pieces: AsyncGenerator<string>,
  operation: Operation,
): Promise<RecordFile> {
  const start = await readStart(pieces);
  const all = joined(start, pieces);
  const [firstLine = ''] = start.trimStart().split('\n');
  if (firstLine.startsWith('[')) return { header: '', records: jsonArrayRecords(all, operation) };
  if (firstLine.startsWith('{') || firstLine === '')
    return { header: '', records: jsonLineRecords(all, operation) };
  return firstLine.includes('\t')
    ? tsvRecords(all, firstLine, operation)
    : csvRecords(all, firstLine, operation);
}

/**
 * So many blank characters at the beginning hide the first line, so that endless ones do not fill
 * the memory.
 */
const MAX_BLANK = 2 ** 16;

/** The beginning of a text, with its first line that is not blank. */
async function readStart(pieces: AsyncGenerator<string>): Promise<string> {
  let start = '';
  while (start.trim() === '' && start.length < MAX_BLANK) {
    const { done, value } = await pieces.next();
    if (done) break;
    start += value;
  }
  return start;
}

async function* joined(start: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield start;
  yield* rest;
}

/** The records of JSON Lines. Blank lines are none. */
async function* jsonLineRecords(
  pieces: AsyncIterable<string>,
  operation: Operation,
): AsyncGenerator<ImportRecord> {
  let number = 0;
  let isFirst = true;
  for await (const line of linesOf(pieces)) {
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
    `${place}: the JSON object does not end on this line.`,
    "Put each object on one line, as 'jq -c .' does, or all of them into an array.",
  );
}

/** The records of a JSON array, which is valid as a whole or not at all. */
async function* jsonArrayRecords(
  pieces: AsyncIterable<string>,
  operation: Operation,
): AsyncGenerator<ImportRecord> {
  let array = '';
  for await (const piece of pieces) {
    array += piece;
    if (array.length > MAX_LINE) throw new UsageError('The array is too large.', 'Use JSON Lines.');
  }
  const values = parseJson(array, 'The array');
  if (!Array.isArray(values)) return;
  for (const [index, value] of values.entries()) {
    const place = `element ${index + 1}`;
    yield { place, text: exactJson(value), input: () => inputOf(value, operation, place) };
  }
}

/**
 * The records of tab-separated lines as petctl prints them. If the first line does not name the
 * columns, they are those that a list has by default.
 */
function tsvRecords(
  pieces: AsyncIterable<string>,
  firstLine: string,
  operation: Operation,
): RecordFile {
  const titles = firstLine.replace(/\r$/, '').split('\t');
  const known = knownColumns(operation);
  const named = columnNames(titles, known);
  if (named.every((name) => known.includes(name))) {
    checkColumns(named, known);
    const records = tsvRows(pieces, named, operation, true);
    return { header: `${titles.join('\t')}\n`, records };
  }
  const { columns } = shapeOf(operation);
  if (titles.length !== columns.length)
    throw new UsageError(
      'This looks like tab-separated values without the names of the columns.',
      `Add a first line with names, such as ${columns.join('<Tab>')}, or use CSV.`,
    );
  return { header: '', records: tsvRows(pieces, columns, operation, false) };
}

async function* tsvRows(
  pieces: AsyncIterable<string>,
  names: readonly string[],
  operation: Operation,
  hasHeader: boolean,
): AsyncGenerator<ImportRecord> {
  let number = 0;
  let isHeaderNext = hasHeader;
  for await (const line of linesOf(pieces)) {
    number++;
    if (line.trim() === '') continue;
    if (isHeaderNext) {
      isHeaderNext = false;
      continue;
    }
    const place = `line ${number}`;
    const text = line.replace(/\r$/, '');
    yield {
      place,
      text,
      input: () => {
        const cells = text.split('\t').map((cell, i) => cellOf(cell, names[i] ?? '', operation));
        return inputOfCells(cells, names, operation, place, unescapeTsvCell);
      },
    };
  }
}

/**
 * An empty cell is an empty string where the property is a required string, else a missing value.
 */
function cellOf(cell: string, name: string, { fields }: Operation): string | undefined {
  if (cell !== '') return cell;
  const field = fields[name];
  return field?.required && typeIn(field.schema) === 'string' ? '' : undefined;
}
