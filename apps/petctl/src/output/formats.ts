import { exactJson } from '@petstore/types';
import { isObject } from '../text.ts';
import { escapeCsvCell, escapeLine, escapeTsvCell } from './escapes.ts';

export const formats = ['table', 'tsv', 'json', 'jsonl', 'csv'] as const;
export type OutputFormat = (typeof formats)[number];

/** How rows become text. */
export interface Format {
  /** The text before the rows. `rows` are the first rows. */
  head(columns: readonly string[], rows: readonly unknown[]): string;
  row(row: unknown, columns: readonly string[], isFirst: boolean): string;
  /** The text after the rows. */
  tail(isEmpty: boolean): string;
}

const noText = () => '';

/** A format that prints each row without knowing the other rows. */
export function textFormat(output: Exclude<OutputFormat, 'table'>, isList: boolean): Format {
  switch (output) {
    case 'tsv':
      return tsv;
    case 'json':
      return isList ? jsonArray : jsonLines;
    case 'jsonl':
      return jsonLines;
    case 'csv':
      return csv;
  }
}

const tsv: Format = {
  head: noText,
  row: (row, columns) => `${valuesOf(row, columns).map(tsvCell).join('\t')}\n`,
  tail: noText,
};

const csv: Format = {
  head: (columns) => csvLine(columns),
  row: (row, columns) => csvLine(valuesOf(row, columns).map((cell) => cell && escapeCsvCell(cell))),
  tail: noText,
};

const jsonLines: Format = {
  head: noText,
  row: (row) => `${jsonLine(row)}\n`,
  tail: noText,
};

const jsonArray: Format = {
  head: () => '[',
  row: (row, _columns, isFirst) => `${isFirst ? '' : ','}\n${jsonLine(row)}`,
  tail: (isEmpty) => (isEmpty ? ']\n' : '\n]\n'),
};

/** A line of CSV (RFC 4180). An empty string is quoted, a missing value is not. */
export function csvLine(values: readonly (string | undefined)[]): string {
  return `${values.map((text) => (text === undefined ? '' : csvCell(text))).join(',')}\n`;
}

/**
 * A text that CSV has to quote: it is empty, has a special character, or begins or ends with white
 * space.
 */
const needsQuotes = /^$|[",\r\n]|^\s|\s$/;

function csvCell(text: string): string {
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function tsvCell(text: string | undefined): string {
  return text === undefined ? '' : escapeTsvCell(text);
}

function jsonLine(row: unknown): string {
  return escapeLine(exactJson(row));
}

/** The values of a row as texts; undefined for a missing one and for null. */
export function valuesOf(row: unknown, columns: readonly string[]): (string | undefined)[] {
  const values = asRow(row);
  return columns.map((name) => {
    const value = Object.hasOwn(values, name) ? (values[name] ?? undefined) : undefined;
    return value === undefined || typeof value === 'string' ? value : exactJson(value);
  });
}

/** Returns an object unchanged, and any other value as an object with the property `value`. */
export function asRow(row: unknown): Record<string, unknown> {
  return isObject(row) ? row : { value: row };
}
