import { escapeControlsInLines } from './escape-controls.ts';
import type { Format, Shape } from './format.ts';
import { jsonText } from './json-text.ts';

/** Comma-separated with a header (RFC 4180), with plain line ends. */
export function csv({ columns }: Shape): Format {
  return {
    head: `${columns.map(quoted).join(',')}\n`,
    row: (row) => `${columns.map((name) => quoted(row[name])).join(',')}\n`,
    tail: () => '',
  };
}

function quoted(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = escapeControlsInLines(typeof value === 'string' ? value : (jsonText(value) ?? ''));
  // An empty text is not the same as nothing.
  return text === '' || /[",\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
