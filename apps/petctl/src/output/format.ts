import { escapeControls, escapeControlsInLines, jsonText } from '../io/text.ts';

export type Row = Readonly<Record<string, unknown>>;

/** What is to be written: its members in order, and whether it is a list or one object. */
export interface Shape {
  readonly columns: readonly string[];
  readonly list: boolean;
  /** How it is written where nobody says so; as a table on a terminal and tab-separated in a pipe without this. */
  readonly usually?: 'json';
}

/** How rows become text, one after the other, so that a list of any length passes through. */
export interface Format {
  readonly head: string;
  row(row: unknown, index: number): string;
  /** What stands behind that many rows. */
  tail(count: number): string;
}

/** A row by its columns; one that is no object has the column `value`. */
export function asRow(row: unknown): Row {
  return typeof row === 'object' && row !== null && !Array.isArray(row) ? { ...row } : { value: row };
}

/** A value as one word of a line. */
export function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  return escapeControls(typeof value === 'string' ? value : (jsonText(value) ?? ''));
}

/** The words of a row, one for each column. */
export function cellsOf(row: unknown, columns: readonly string[]): string[] {
  const values = asRow(row);
  return columns.map((name) => cell(values[name]));
}

/** Tab-separated, without a header. */
export function tsv({ columns }: Shape): Format {
  return {
    head: '',
    row: (row) => `${cellsOf(row, columns).join('\t')}\n`,
    tail: () => '',
  };
}

/** One JSON object a line. */
export function jsonl(): Format {
  return { head: '', row: (row) => `${compact(row)}\n`, tail: () => '' };
}

/** One JSON document; `indented` for people. */
export function json({ list }: Shape, indented: boolean): Format {
  const text = (row: unknown) => (indented ? escapedJson(row, list ? '  ' : '') : compact(row));
  if (!list) return { head: '', row: (row) => `${text(row)}\n`, tail: () => '' };
  return {
    head: '[',
    row: (row, index) => `${index > 0 ? ',' : ''}\n${indented ? '  ' : ''}${text(row)}`,
    tail: (count) => (count > 0 ? '\n]\n' : ']\n'),
  };
}

const compact = (row: unknown) => escapeControls(jsonText(row) ?? '');

function escapedJson(row: unknown, indent: string): string {
  return (jsonText(row, 2) ?? '').split('\n').map(escapeControls).join(`\n${indent}`);
}

/** Comma-separated with a header (RFC 4180), with plain line ends. */
export function csv({ columns }: Shape): Format {
  return {
    head: `${columns.map(quoted).join(',')}\n`,
    row: (row) => `${valuesOf(row, columns).map(quoted).join(',')}\n`,
    tail: () => '',
  };
}

function valuesOf(row: unknown, columns: readonly string[]): unknown[] {
  const values = asRow(row);
  return columns.map((name) => values[name]);
}

function quoted(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = escapeControlsInLines(typeof value === 'string' ? value : (jsonText(value) ?? ''));
  // An empty text is not the same as nothing.
  return text === '' || /[",\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** YAML 1.2: a sequence of mappings, or one mapping. */
export function yaml({ list }: Shape): Format {
  return {
    head: '',
    row: (row) => (list ? `- ${block(row, '  ')}\n` : `${block(row, '')}\n`),
    tail: (count) => (list && count === 0 ? '[]\n' : ''),
  };
}

/** A value whose first line stands behind what is already there, and whose others begin with the indent. */
function block(value: unknown, indent: string): string {
  if (Array.isArray(value) && value.length > 0)
    return value.map((one) => `- ${block(one, `${indent}  `)}`).join(`\n${indent}`);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const members = Object.entries(value).filter(([, one]) => one !== undefined);
    if (members.length > 0)
      return members.map(([name, one]) => `${scalar(name)}:${member(one, indent)}`).join(`\n${indent}`);
  }
  return scalar(value);
}

function member(value: unknown, indent: string): string {
  const nested = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  return nested ? `\n${indent}  ${block(value, `${indent}  `)}` : ` ${scalar(value)}`;
}

/** Words that no YAML takes for anything else stand as they are; everything else is JSON, which is YAML. */
function scalar(value: unknown): string {
  const plain = typeof value === 'string' && /^[A-Za-z][\w-]*( [\w-]+)*$/.test(value);
  return plain && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value)
    ? value
    : escapeControls(jsonText(value) ?? 'null');
}
