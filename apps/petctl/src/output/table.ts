import { escapeControls } from '../io/text.ts';
import { cellsOf, type Format, type Shape } from './format.ts';

const gap = '  ';

/** An aligned table, no wider than the terminal, with a bold header. */
export function table({ columns }: Shape, sample: readonly unknown[], terminalWidth: number, isBold: boolean): Format {
  const titles = columns.map((name) => escapeControls(name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toUpperCase()));
  const cells = sample.map((row) => cellsOf(row, columns));
  const widths = fitWidths(
    columns.map((_, i) => cells.reduce((max, row) => Math.max(max, widthOf(row[i] ?? '')), widthOf(titles[i] ?? ''))),
    terminalWidth,
  );
  const line = (words: readonly string[]) =>
    words
      .map((word, i) => {
        const width = widths[i] ?? 0;
        const text = truncate(word, width);
        return i === words.length - 1 ? text : text + ' '.repeat(Math.max(0, width - widthOf(text)));
      })
      .join(gap)
      .trimEnd();
  const header = line(titles);
  return {
    head: header && `${isBold ? `\u001b[1m${header}\u001b[22m` : header}\n`,
    row: (row) => `${line(cellsOf(row, columns))}\n`,
  };
}

/** Narrows the widest column, one character at a time, until all columns fit into the terminal. */
function fitWidths(widths: number[], terminalWidth: number): number[] {
  const available = Math.max(terminalWidth - gap.length * (widths.length - 1), widths.length);
  const fit = [...widths];
  let excess = fit.reduce((sum, width) => sum + width, 0) - available;
  for (; excess > 0; excess--) {
    const widest = fit.indexOf(Math.max(...fit));
    fit[widest] = (fit[widest] ?? 0) - 1;
  }
  return fit;
}

// Created on demand, because creating a segmenter takes as long as a local request.
let segmenter: Intl.Segmenter | undefined;

function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}

/** Characters that terminals show two columns wide: East Asian wide and full-width ones. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2fb}\u{20000}-\u{3fffd}]/u;
const emoji = /^\p{Emoji_Presentation}|\ufe0f|^\p{Regional_Indicator}{2}/u;
const invisible = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

const plain = /^[\x20-\x7e]*$/;

/** The number of columns that a text takes on a terminal. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmentsOf(text)) width += graphemeWidth(segment);
  return width;
}

/** Shortens a text that is wider than a number of columns, with an ellipsis at its end. */
export function truncate(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  if (plain.test(text)) return `${text.slice(0, columns - 1)}…`;
  let [start, width] = ['', 0];
  for (const { segment } of segmentsOf(text)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    start += segment;
  }
  return `${start}…`;
}

/** The width of one grapheme. */
function graphemeWidth(segment: string): number {
  if (invisible.test(segment)) return 0;
  return wide.test(segment) || emoji.test(segment) ? 2 : 1;
}
