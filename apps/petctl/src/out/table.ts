import { cellsOf, type Format, type Shape } from './format.ts';
import { cut, widthOf } from './width.ts';

/** How many rows settle the widths of the columns. */
export const sampleSize = 100;

const gap = '  ';

/** A table for people: aligned, no wider than the terminal, under a bold header. */
export function table({ columns }: Shape, sample: readonly unknown[], terminal: number, bold: boolean): Format {
  const titles = columns.map((name) => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toUpperCase());
  const cells = sample.map((row) => cellsOf(row, columns));
  const widths = fitted(
    columns.map((_, i) => cells.reduce((most, row) => Math.max(most, widthOf(row[i] ?? '')), widthOf(titles[i] ?? ''))),
    terminal,
  );
  const line = (words: readonly string[]) =>
    words
      .map((word, i) => {
        const width = widths[i] ?? 0;
        const shown = cut(word, width);
        return i === words.length - 1 ? shown : shown + ' '.repeat(Math.max(0, width - widthOf(shown)));
      })
      .join(gap)
      .trimEnd();
  const header = line(titles);
  return {
    head: `${bold ? `\u001b[1m${header}\u001b[22m` : header}\n`,
    row: (row) => `${line(cellsOf(row, columns))}\n`,
    tail: () => '',
  };
}

/** Takes from the widest column until all fit. */
function fitted(widths: number[], terminal: number): number[] {
  const room = Math.max(terminal - gap.length * (widths.length - 1), widths.length);
  const fit = [...widths];
  let over = fit.reduce((sum, width) => sum + width, 0) - room;
  for (; over > 0; over--) {
    const widest = fit.indexOf(Math.max(...fit));
    fit[widest] = (fit[widest] ?? 0) - 1;
  }
  return fit;
}
