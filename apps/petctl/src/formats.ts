import { exactJson } from '@petstore/types';
import type { Settings } from './settings.ts';
import { escapeCell, escapeLine, isObject } from './text.ts';

/** How rows become text. */
export interface Format {
  head(columns: readonly string[], rows: readonly unknown[]): string;
  row(row: unknown, columns: readonly string[], isFirst: boolean): string;
  tail(isEmpty: boolean): string;
}

/** The formats that print a row without knowing others. */
export function textFormats(
  isList: boolean,
): Readonly<Record<Exclude<NonNullable<Settings['output']>, 'table'>, Format>> {
  const none = () => '';
  const json = (row: unknown) => escapeLine(exactJson(row));
  return {
    tsv: { head: none, tail: none, row: (row, columns) => `${cellsOf(row, columns).join('\t')}\n` },
    jsonl: { head: none, tail: none, row: (row) => `${json(row)}\n` },
    csv: {
      head: (columns) => csvLine(columns),
      tail: none,
      row: (row, columns) =>
        csvLine(valuesOf(row, columns).map((cell) => cell && escapeCell(cell))),
    },
    json: isList
      ? {
          head: () => '[',
          tail: (isEmpty) => (isEmpty ? ']\n' : '\n]\n'),
          row: (row, _, isFirst) => `${isFirst ? '' : ','}\n${json(row)}`,
        }
      : { head: none, tail: none, row: (row) => `${json(row)}\n` },
  };
}

/** A line of CSV (RFC 4180). An empty text is quoted, a missing value is not. */
export function csvLine(values: readonly (string | undefined)[]): string {
  const quoted = (text: string) =>
    /^$|[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  return `${values.map((text) => (text === undefined ? '' : quoted(text))).join(',')}\n`;
}

/** The cells of a row as they are shown, each on one line. */
export function cellsOf(row: unknown, columns: readonly string[]): string[] {
  return valuesOf(row, columns).map((text = '') => escapeLine(text));
}

function valuesOf(row: unknown, columns: readonly string[]): (string | undefined)[] {
  const values = asRow(row);
  return columns.map((name) => {
    const value = Object.hasOwn(values, name) ? (values[name] ?? undefined) : undefined;
    return value === undefined || typeof value === 'string' ? value : exactJson(value);
  });
}

/** Returns an object unchanged, and any other value as an object with the member `value`. */
export function asRow(row: unknown): Record<string, unknown> {
  return isObject(row) ? row : { value: row };
}

const gap = '  ';

/** An aligned table, no wider than the terminal. The first rows decide the widths. */
export async function tableFormat(): Promise<Format> {
  // Loaded on demand, because it creates a segmenter, which takes as long as a request.
  const { default: widthOf } = await import('string-width');
  const { isTTY } = process.stdout;
  const isBold = isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  let widths: number[] = [];
  /** A text with exactly this width: with spaces, or cut with an ellipsis. Outside a terminal no text is cut. */
  const padded = (text: string, width: number) => {
    const missing = width - widthOf(text);
    if (missing >= 0 || !isTTY) return text + ' '.repeat(Math.max(0, missing));
    let [start, used] = ['', 0];
    for (const { segment } of new Intl.Segmenter().segment(text)) {
      used += widthOf(segment);
      if (used > width - 1) break;
      start += segment;
    }
    return `${start}…${' '.repeat(Math.max(0, width - 1 - widthOf(start)))}`;
  };
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => padded(cell, widths[i] ?? 0))
      .join(gap)
      .trimEnd();
  return {
    head: (columns, rows) => {
      const titles = columns.map((name) =>
        escapeLine(name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toUpperCase()),
      );
      const cells = [titles, ...rows.map((row) => cellsOf(row, columns))];
      const wanted = titles.map((_, i) =>
        cells.reduce((most, row) => Math.max(most, widthOf(row[i] ?? '')), 0),
      );
      widths = isTTY ? fitted(wanted, process.stdout.columns || 80) : wanted;
      const header = line(titles);
      return isBold ? `\u001b[1m${header}\u001b[22m\n` : `${header}\n`;
    },
    row: (row, columns) => `${line(cellsOf(row, columns))}\n`,
    tail: () => '',
  };
}

/** Narrows the widest columns until all fit. */
function fitted(widths: readonly number[], available: number): number[] {
  const fit = widths.map((width) => Math.min(width, available));
  let excess = fit.reduce((sum, width) => sum + width + gap.length, -gap.length) - available;
  for (; excess > 0 && Math.max(...fit) > 1; excess--) {
    const widest = fit.indexOf(Math.max(...fit));
    fit[widest] = (fit[widest] ?? 0) - 1;
  }
  return fit;
}
