import { escapeLine } from './escapes.ts';
import { asRow, type Format, valuesOf } from './formats.ts';

const gap = '  ';

/** Measures how wide a terminal shows a text. */
type WidthOf = (text: string) => number;

/** An aligned table for people. The first rows decide the widths. On a terminal it is no wider than that, if texts can be cut. */
export class Table implements Format {
  readonly #widthOf: WidthOf;
  /** Undefined outside a terminal, where no text is cut. */
  readonly #available: number | undefined;
  readonly #isBold: boolean;
  #widths: number[] = [];
  #canBeCut: boolean[] = [];

  constructor(widthOf: WidthOf, available: number | undefined, isBold: boolean) {
    this.#widthOf = widthOf;
    this.#available = available;
    this.#isBold = isBold;
  }

  head(columns: readonly string[], rows: readonly unknown[]): string {
    const titles = columns.map(titleOf);
    const cells = [titles, ...rows.map((row) => cellsOf(row, columns))];
    this.#widths = columns.map((_, i) => this.#widest(cells.map((row) => row[i] ?? '')));
    this.#canBeCut = columns.map((name) => isFreeText(name, rows));
    if (this.#available !== undefined) this.#narrow(this.#available);
    const header = this.#line(titles);
    return this.#isBold ? `\u001b[1m${header}\u001b[22m\n` : `${header}\n`;
  }

  row(row: unknown, columns: readonly string[]): string {
    return `${this.#line(cellsOf(row, columns))}\n`;
  }

  tail(): string {
    return '';
  }

  #line(cells: readonly string[]): string {
    const padded = cells.map((cell, i) => this.#padded(cell, i));
    return padded.join(gap).trimEnd();
  }

  #widest(texts: readonly string[]): number {
    return texts.reduce((most, text) => Math.max(most, this.#widthOf(text)), 0);
  }

  /** Narrows the widest columns that can be cut, until all fit. */
  #narrow(available: number): void {
    const gaps = gap.length * (this.#widths.length - 1);
    let excess = this.#widths.reduce((sum, width) => sum + width, gaps) - available;
    for (; excess > 0; excess--) {
      const widths = this.#widths.map((width, i) => (this.#canBeCut[i] ? width : 0));
      const most = Math.max(...widths);
      if (most <= 1) return;
      this.#widths[widths.indexOf(most)] = most - 1;
    }
  }

  /** A cell with spaces up to the width of its column, or cut with an ellipsis. */
  #padded(text: string, column: number): string {
    const width = this.#widths[column] ?? 0;
    const missing = width - this.#widthOf(text);
    const isCut = missing < 0 && this.#available !== undefined && this.#canBeCut[column];
    return isCut ? this.#cut(text, width) : text + ' '.repeat(Math.max(0, missing));
  }

  #cut(text: string, width: number): string {
    let start = '';
    let used = 0;
    for (const { segment } of new Intl.Segmenter().segment(text)) {
      const next = used + this.#widthOf(segment);
      if (next > width - 1) break;
      start += segment;
      used = next;
    }
    return `${start}…${' '.repeat(width - 1 - used)}`;
  }
}

/** The title of a column: `categoryId` is `CATEGORY ID`. */
function titleOf(name: string): string {
  return escapeLine(name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toUpperCase());
}

function cellsOf(row: unknown, columns: readonly string[]): string[] {
  return valuesOf(row, columns).map((text = '') => escapeLine(text));
}

/** Whether a column has texts that remain useful when they are cut: no numbers, and no identifiers. */
function isFreeText(name: string, rows: readonly unknown[]): boolean {
  if (/(^i|I)d$/.test(name)) return false;
  return rows.every((row) => ['string', 'undefined'].includes(typeof asRow(row)[name]));
}
