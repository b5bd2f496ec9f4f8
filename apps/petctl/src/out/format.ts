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
  row(row: Row, index: number): string;
  /** What stands behind that many rows. */
  tail(count: number): string;
}

/** A value as one word of a line. */
export function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  return escapeControls(typeof value === 'string' ? value : (jsonText(value) ?? ''));
}

/** Tab-separated, without a header. */
export function tsv({ columns }: Shape): Format {
  return {
    head: '',
    row: (row) => `${columns.map((name) => cell(row[name])).join('\t')}\n`,
    tail: () => '',
  };
}

/** One JSON object a line. */
export function jsonl(): Format {
  return { head: '', row: (row) => `${compact(row)}\n`, tail: () => '' };
}

/** One JSON document; `indented` for people. */
export function json({ list }: Shape, indented: boolean): Format {
  const text = (row: Row) => (indented ? escapedJson(row, list ? '  ' : '') : compact(row));
  if (!list) return { head: '', row: (row) => `${text(row)}\n`, tail: () => '' };
  return {
    head: '[',
    row: (row, index) => `${index > 0 ? ',' : ''}\n${indented ? '  ' : ''}${text(row)}`,
    tail: (count) => (count > 0 ? '\n]\n' : ']\n'),
  };
}

const compact = (row: unknown) => escapeControls(jsonText(row) ?? '');

function escapedJson(row: Row, indent: string): string {
  return (jsonText(row, 2) ?? '').split('\n').map(escapeControls).join(`\n${indent}`);
}
