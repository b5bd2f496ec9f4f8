import { escapeControls } from './escape-controls.ts';
import { jsonText } from './json-text.ts';

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
