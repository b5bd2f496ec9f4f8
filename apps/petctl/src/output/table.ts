import widthOf from 'string-width';
import { escapeLine } from './escapes.ts';
import { asRow, type Format, valuesOf } from './formats.ts';

const gap = '  ';

interface Column {
  width: number;
  readonly canBeCut: boolean;
}

/**
 * An aligned table for people. The first rows decide the widths of the columns. On a terminal,
 * texts are cut so that the table fits.
 */
export class Table implements Format {
  /** The width of the terminal; undefined outside a terminal, where no text is cut. */
  readonly #available: number | undefined;
  readonly #isBold: boolean;
  #columns: readonly Column[] = [];

  constructor(available: number | undefined, isBold: boolean) {
    this.#available = available;
    this.#isBold = isBold;
  }

  head(names: readonly string[], rows: readonly unknown[]): string {
    this.#columns = names.map((name) => this.#columnOf(name, rows));
    if (this.#available !== undefined) this.#narrow(this.#available);
    const header = this.#line(names.map(titleOf));
    return this.#isBold ? `\u001b[1m${header}\u001b[22m\n` : `${header}\n`;
  }

  row(row: unknown, names: readonly string[]): string {
    return `${this.#line(cellsOf(row, names))}\n`;
  }

  tail(): string {
    return '';
  }

  #columnOf(name: string, rows: readonly unknown[]): Column {
    const cells = rows.flatMap((row) => cellsOf(row, [name]));
    const widths = [titleOf(name), ...cells].map((text) => widthOf(text));
    const width = widths.reduce((most, each) => Math.max(most, each), 0);
    return { width, canBeCut: isFreeText(name, rows) };
  }

  #line(cells: readonly string[]): string {
    const padded = this.#columns.map((column, i) => this.#padded(cells[i] ?? '', column));
    return padded.join(gap).trimEnd();
  }

  /** Narrows the widest columns that can be cut, until all columns fit. */
  #narrow(available: number): void {
    const cuttable = this.#columns.filter(({ canBeCut }) => canBeCut);
    const gaps = gap.length * (this.#columns.length - 1);
    let total = this.#columns.reduce((sum, { width }) => sum + width, gaps);
    for (; total > available; total--) {
      const most = Math.max(0, ...cuttable.map(({ width }) => width));
      const widest = cuttable.find(({ width }) => width === most);
      if (widest === undefined || most <= 1) return;
      widest.width--;
    }
  }

  /** A cell with spaces up to the width of its column, or cut with an ellipsis. */
  #padded(text: string, { width, canBeCut }: Column): string {
    const missing = width - widthOf(text);
    const isCut = missing < 0 && canBeCut && this.#available !== undefined;
    return isCut ? this.#cut(text, width) : text + ' '.repeat(Math.max(0, missing));
  }

  #cut(text: string, width: number): string {
    let start = '';
    let used = 0;
    for (const { segment } of new Intl.Segmenter().segment(text)) {
      const next = used + widthOf(segment);
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

function cellsOf(row: unknown, names: readonly string[]): string[] {
  return valuesOf(row, names).map((text = '') => escapeLine(text));
}

/** Whether the values of a column remain useful when they are cut. Numbers and identifiers do not. */
function isFreeText(name: string, rows: readonly unknown[]): boolean {
  if (/(^i|I)d$/.test(name)) return false;
  return rows.every((row) => ['string', 'undefined'].includes(typeof asRow(row)[name]));
}
