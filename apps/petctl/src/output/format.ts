import { suggestion, UsageError } from '../io/errors.ts';
import { escapeControls, escapeControlsInLines, isObject, jsonText } from '../io/text.ts';
import { type Operation, type OperationResponse, propertiesOf, resolved, typeIn } from '../old.ts';
import type { Output } from '../settings/settings.ts';

export type Row = Readonly<Record<string, unknown>>;

/** The shape of output: its columns, and whether it is a list or one object. */
export interface Shape {
  readonly columns: readonly string[];
  readonly list: boolean;
}

/** Formats rows one by one, so lists of any length work. */
export interface Format {
  readonly head: string;
  row(row: unknown, index: number): string;
  /** Returns the text after the last row. */
  tail?(count: number): string;
}

/** Returns an object unchanged, and any other value as an object with the property `value`. */
export function asRow(row: unknown): Row {
  return isObject(row) ? row : { value: row };
}

/** The cells of a row, one per column, each on one line. */
export function cellsOf(row: unknown, columns: readonly string[]): string[] {
  return cellTexts(row, columns).map((text = '') => escapeControls(text));
}

/** The values of a row as text, one per column; undefined for a missing value and null. */
function cellTexts(row: unknown, columns: readonly string[]): (string | undefined)[] {
  const values = asRow(row);
  return columns.map((name) => {
    const value = Object.hasOwn(values, name) ? (values[name] ?? undefined) : undefined;
    return value === undefined || typeof value === 'string' ? value : jsonText(value);
  });
}

/** The formats of a shape, apart from the table, which needs rows to compute its widths. */
export const formats: Readonly<Record<Exclude<Output, 'table'>, (shape: Shape, isIndented: boolean) => Format>> = {
  tsv: ({ columns }) => ({ head: '', row: (row) => `${cellsOf(row, columns).join('\t')}\n` }),
  jsonl: () => ({ head: '', row: (row) => `${compact(row)}\n` }),
  json,
  csv,
};

/** One JSON document, optionally indented. */
function json({ list }: Shape, indented: boolean): Format {
  const text = (row: unknown) => (indented ? escapedJson(row, list ? '  ' : '') : compact(row));
  if (!list) return { head: '', row: (row) => `${text(row)}\n` };
  return {
    head: '[',
    row: (row, index) => `${index > 0 ? ',' : ''}\n${indented ? '  ' : ''}${text(row)}`,
    tail: (count) => (count > 0 ? '\n]\n' : ']\n'),
  };
}

const compact = (row: unknown) => escapeControls(jsonText(row));

function escapedJson(row: unknown, indent: string): string {
  return jsonText(row, 2).split('\n').map(escapeControls).join(`\n${indent}`);
}

/** CSV with a header (RFC 4180), but with `\n` at the end of lines. */
function csv({ columns }: Shape): Format {
  const header = columns.map(quoted).join(',');
  return {
    // An empty list of unknown elements has no columns, and an empty header line would look like a row.
    head: header && `${header}\n`,
    row: (row) => `${cellTexts(row, columns).map(quoted).join(',')}\n`,
  };
}

function quoted(value: string | undefined): string {
  if (value === undefined) return '';
  const text = escapeControlsInLines(value);
  // Distinguishes an empty text from a missing value.
  return text === '' || /[",\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The shape of a successful response: the columns of `--fields`, else the properties of the spec, else those of the data. */
export function shapeOf(
  operation: Operation,
  success: OperationResponse | undefined,
  fields: unknown,
  data: unknown,
): Shape {
  const names = propertiesIn(operation, success);
  const usesSpec = names.length > 0 && typeof fields !== 'string';
  return { list: Array.isArray(data), columns: usesSpec ? names : columnsOf(rowsOf(data), fields) };
}

/** The columns that `--fields` names, else the properties of the rows. */
export function columnsOf(rows: readonly unknown[], fields: unknown): string[] {
  return typeof fields === 'string' ? fieldNames(fields) : [...new Set(rows.flatMap((row) => Object.keys(asRow(row))))];
}

/** Rejects a name in `--fields` that no successful response has. */
export function checkFields(operation: Operation, fields: unknown): void {
  if (typeof fields !== 'string') return;
  const successes = operation.successes.flatMap((status) => operation.responses[status] ?? []);
  // Without a kind, a success has no body.
  const names = successes.filter(({ kind }) => kind).map((success) => propertiesIn(operation, success));
  // If a success declares no properties, for example a map, any name may be right.
  if (names.every((all) => all.length > 0)) selectedFields(fields, [...new Set(names.flat())]);
}

/** The properties of a successful response, by default the first; of a list, those of its elements. */
export function propertiesIn(
  { pagination, responses, successes }: Operation,
  success = responses[successes[0] ?? ''],
): string[] {
  const body = success?.schema ?? {};
  const schema = pagination?.items === undefined ? body : (propertiesOf(body)[pagination.items] ?? {});
  const isList = typeIn(schema) === 'array';
  return Object.keys(propertiesOf(isList ? (resolved(schema).items ?? {}) : schema));
}

/** The properties that `--fields` names, otherwise all. Throws for an unknown property. */
export function selectedFields(fields: unknown, properties: readonly string[]): readonly string[] {
  if (typeof fields !== 'string') return properties;
  const names = fieldNames(fields);
  const unknown = names.find((name) => !properties.includes(name));
  if (unknown === undefined) return names;
  throw new UsageError(`--fields: there is no property '${unknown}'.`, suggestion(unknown, properties));
}

function fieldNames(fields: string): string[] {
  return [...new Set(fields.split(',').map((name) => name.trim()))];
}

/** The rows of the data: the elements of a list, otherwise the data itself as one row. */
export function rowsOf(data: unknown): readonly unknown[] {
  return Array.isArray(data) ? data : data === undefined ? [] : [data];
}
