import { escapeControlsInLines } from './escape-controls.ts';
import { asRow, type Format, type Shape } from './format.ts';
import { jsonText } from './json-text.ts';

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
