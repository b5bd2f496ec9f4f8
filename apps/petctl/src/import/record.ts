import { type Operation, parseScalar, typeIn } from '@petstore/types';
import { UsageError } from '../errors.ts';
import { checkNames, checkProperties, type Input, missingInputs } from '../input.ts';
import { shapeOf } from '../output/printer.ts';
import { isObject, kebab } from '../text.ts';

/** A record of a file that is imported. */
export interface ImportRecord {
  /** Where it stands: `line 3`. */
  readonly place: string;
  /** Its text, to store it in another file. */
  readonly text: string;
  /** Throws a UsageError if the record cannot be sent. */
  readonly input: () => Input;
}

export interface RecordFile {
  /** What begins another file with some of the records. */
  readonly header: string;
  readonly records: AsyncIterable<ImportRecord>;
}

/** The input of a record that is a JSON value. */
export function inputOf(value: unknown, operation: Operation, place: string): Input {
  if (isObject(value)) removeResultProperties(value, operation);
  const input = checkProperties(value, operation, place);
  const missing = missingInputs(input, operation);
  if (missing.length > 0) throw new UsageError(`${place}: ${missing.join(' and ')} missing.`);
  return input;
}

/**
 * Removes what the operation returns and does not take, such as the identifier, because petctl's
 * own lists have it.
 */
function removeResultProperties(record: Record<string, unknown>, operation: Operation): void {
  for (const name of shapeOf(operation).columns) {
    if (!Object.hasOwn(operation.fields, name)) delete record[name];
  }
}

/** The properties that columns may name. */
export function knownColumns(operation: Operation): string[] {
  return [...new Set([...Object.keys(operation.fields), ...shapeOf(operation).columns])];
}

/**
 * The properties that the titles of columns mean: `category-id` is `categoryId`. Other titles stay.
 */
export function columnNames(titles: readonly string[], known: readonly string[]): string[] {
  return titles.map((title) => {
    const text = title.trim();
    return known.find((name) => name === text || kebab(name) === text) ?? text;
  });
}

/** Throws for a column that is not known or occurs twice. */
export function checkColumns(names: readonly string[], known: readonly string[]): void {
  checkNames(names, known, 'The first line');
  if (new Set(names).size < names.length)
    throw new UsageError('The first line has a column twice.');
}

/**
 * The input of a row; an undefined cell is a missing value. `toText` replaces the escapes of a
 * string.
 */
export function inputOfCells(
  cells: readonly (string | undefined)[],
  names: readonly string[],
  operation: Operation,
  place: string,
  toText: (cell: string) => string,
): Input {
  if (cells.length !== names.length)
    throw new UsageError(
      `${place}: it has ${cells.length} cells, and the first line has ${names.length}.`,
    );
  const input: Input = {};
  for (const [i, name] of names.entries()) {
    const cell = cells[i];
    if (cell === undefined) continue;
    const type = typeIn(operation.fields[name]?.schema ?? {}) ?? 'string';
    input[name] = type === 'string' ? toText(cell) : scalarOf(cell, type);
  }
  return inputOf(input, operation, place);
}

/**
 * The value of a cell. One that has not the type of its property stays a string, which the service
 * rejects.
 */
function scalarOf(cell: string, type: string): unknown {
  // Spreadsheets write `1.0` for 1.
  const text = type === 'integer' ? cell.replace(/\.0+$/, '') : cell;
  return parseScalar(text, type) ?? cell;
}
