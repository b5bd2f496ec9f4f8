// Records in rows: tab-separated lines as petctl prints them, and CSV.
import { type Operation, parseScalar, typeIn } from '@petstore/types';
import { UsageError } from '../errors.ts';
import { checkNames } from '../input.ts';
import { unescapeCsvCell, unescapeTsvCell } from '../output/escapes.ts';
import { csvLine } from '../output/formats.ts';
import { shapeOf } from '../output/printer.ts';
import { kebab } from '../text.ts';
import { csvRows, type Row } from './csv.ts';
import type { ImportRecord, RecordFile } from './record-sender.ts';
import { type Line, startingWith } from './source-file.ts';

/**
 * The records of tab-separated lines. If the first line does not name the columns, they are the
 * columns that petctl prints by default.
 */
export function tsvRecords(
  first: Line,
  rest: AsyncIterable<Line>,
  operation: Operation,
): RecordFile {
  const header = first.text.replace(/\r$/, '');
  const titles = header.split('\t');
  const known = knownColumns(operation);
  const named = columnNames(titles, known);
  if (named.every((name) => known.includes(name))) {
    checkColumns(named, known);
    return { header: `${header}\n`, records: tsvRows(rest, named, operation) };
  }
  const { columns } = shapeOf(operation);
  if (titles.length !== columns.length)
    throw new UsageError(
      'This looks like tab-separated values without the names of the columns.',
      `Add a first line with names, such as ${columns.join('<Tab>')}, or use CSV.`,
    );
  return { header: '', records: tsvRows(startingWith(first, rest), columns, operation) };
}

async function* tsvRows(
  lines: AsyncIterable<Line>,
  names: readonly string[],
  operation: Operation,
): AsyncGenerator<ImportRecord> {
  const emptyCells = names.map((name) => emptyCellOf(name, operation));
  for await (const { number: line, text: untrimmed } of lines) {
    if (untrimmed.trim() === '') continue;
    const text = untrimmed.replace(/\r$/, '');
    const cells = text.split('\t').map((cell, i) => (cell === '' ? emptyCells[i] : cell));
    yield rowRecord({ line, text, cells }, names, operation, unescapeTsvCell);
  }
}

/**
 * What an empty cell means: an empty string if the property is a required string, or else a missing
 * value.
 */
function emptyCellOf(name: string, { fields }: Operation): string | undefined {
  const field = fields[name];
  return field?.required && typeIn(field.schema) === 'string' ? '' : undefined;
}

/** The records of CSV. The first line names the columns. */
export async function csvRecords(
  first: Line,
  rest: AsyncIterable<Line>,
  operation: Operation,
): Promise<RecordFile> {
  rejectTable(first.text);
  const known = knownColumns(operation);
  const rows = csvRows(first, rest, delimiterOf(first.text, known));
  const header = await rows.next();
  const titles = header.value?.cells.map((title = '') => title) ?? [];
  const names = columnNames(titles, known);
  checkColumns(names, known);
  return { header: csvLine(titles), records: csvRowRecords(rows, names, operation) };
}

async function* csvRowRecords(
  rows: AsyncIterable<Row>,
  names: readonly string[],
  operation: Operation,
): AsyncGenerator<ImportRecord> {
  for await (const row of rows) yield rowRecord(row, names, operation, unescapeCsvCell);
}

/**
 * A semicolon, which spreadsheets of some languages write, if it separates known names; otherwise a
 * comma.
 */
function delimiterOf(firstLine: string, known: readonly string[]): string {
  const names = columnNames(firstLine.split(';'), known);
  return names.length > 1 && names.every((name) => known.includes(name)) ? ';' : ',';
}

function rejectTable(firstLine: string): void {
  if (firstLine.includes(',') || !/\S {2,}\S/.test(firstLine)) return;
  throw new UsageError('This looks like a table.', 'Print it with -o csv, jsonl, json or tsv.');
}

/** The properties that columns may name. */
function knownColumns(operation: Operation): string[] {
  return [...new Set([...Object.keys(operation.fields), ...shapeOf(operation).columns])];
}

/** The properties that titles of columns mean: `category-id` is `categoryId`. Other titles stay. */
function columnNames(titles: readonly string[], known: readonly string[]): string[] {
  return titles.map((title) => {
    const text = title.trim();
    return known.find((name) => name === text || kebab(name) === text) ?? text;
  });
}

/** Throws for a column that is unknown or occurs twice. */
function checkColumns(names: readonly string[], known: readonly string[]): void {
  checkNames(names, known, 'The first line');
  if (new Set(names).size < names.length)
    throw new UsageError('The first line has a column twice.');
}

/** The record of a row. `toText` replaces the escapes in a string. */
function rowRecord(
  { line, text, cells }: Row,
  names: readonly string[],
  operation: Operation,
  toText: (cell: string) => string,
): ImportRecord {
  const place = `line ${line}`;
  const value = () => {
    if (cells.length !== names.length)
      throw new UsageError(
        `${place} has ${cells.length} cells, and the first line has ${names.length}.`,
      );
    return rowProperties(cells, names, operation, toText);
  };
  return { place, text, value };
}

function rowProperties(
  cells: Row['cells'],
  names: readonly string[],
  { fields }: Operation,
  toText: (cell: string) => string,
): Record<string, unknown> {
  const properties: Record<string, unknown> = {};
  for (const [i, name] of names.entries()) {
    const cell = cells[i];
    if (cell === undefined) continue;
    const type = typeIn(fields[name]?.schema ?? {}) ?? 'string';
    properties[name] = type === 'string' ? toText(cell) : scalarOf(cell, type);
  }
  return properties;
}

/**
 * The value of a cell. A cell that does not have the type of its property stays a string, and the
 * service rejects it.
 */
function scalarOf(cell: string, type: string): unknown {
  // Spreadsheets write `1.0` for 1.
  const text = type === 'integer' ? cell.replace(/\.0+$/, '') : cell;
  return parseScalar(text, type) ?? cell;
}
