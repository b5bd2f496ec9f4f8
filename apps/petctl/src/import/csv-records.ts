import type { Operation } from '@petstore/types';
import type * as csv from 'csv-parse';
import { UsageError } from '../errors.ts';
import { unescapeCsvCell } from '../output/escapes.ts';
import { csvLine } from '../output/formats.ts';
import {
  checkColumns,
  columnNames,
  type ImportRecord,
  inputOfCells,
  knownColumns,
  type RecordFile,
} from './record.ts';

/** More than servers accept: a quote that is not closed would fill the memory. */
const MAX_RECORD = 4 * 2 ** 20;

/** A row of CSV. Only an empty cell without quotes is undefined. */
interface CsvRow {
  /** The number of its last line. */
  readonly line: number;
  readonly cells: readonly (string | undefined)[];
}

/** The records of CSV (RFC 4180). The first line names the columns. */
export async function csvRecords(
  pieces: AsyncIterable<string>,
  firstLine: string,
  operation: Operation,
): Promise<RecordFile> {
  const known = knownColumns(operation);
  rejectTable(firstLine);
  const rows = rowsOf(pieces, delimiterOf(firstLine, known));
  const first = await rows.next();
  const titles = first.done ? [] : first.value.cells.map((title = '') => title.trim());
  const names = columnNames(titles, known);
  checkColumns(names, known);
  return { header: csvLine(titles), records: records(rows, names, operation) };
}

async function* records(
  rows: AsyncIterable<CsvRow>,
  names: readonly string[],
  operation: Operation,
): AsyncGenerator<ImportRecord> {
  for await (const { line, cells } of rows) {
    const place = `line ${line}`;
    yield {
      place,
      text: csvLine(cells).trimEnd(),
      input: () => inputOfCells(cells, names, operation, place, unescapeCsvCell),
    };
  }
}

/**
 * A semicolon if that separates known names, as spreadsheets of some languages write it, else a
 * comma.
 */
function delimiterOf(firstLine: string, known: readonly string[]): string {
  const names = columnNames(firstLine.split(';'), known);
  return names.length > 1 && names.every((name) => known.includes(name)) ? ';' : ',';
}

function rejectTable(firstLine: string): void {
  if (firstLine.includes(',') || !/\S {2,}\S/.test(firstLine)) return;
  throw new UsageError('This looks like a table.', 'Print it with -o csv, jsonl, json or tsv.');
}

/** Yields all rows before a fault of the file, and then throws. */
async function* rowsOf(
  pieces: AsyncIterable<string>,
  delimiter: string,
): AsyncGenerator<CsvRow, void> {
  const reader = await CsvReader.create(delimiter);
  let fault: unknown;
  try {
    for await (const piece of pieces) {
      await reader.write(piece);
      yield* reader.takeRows();
    }
  } catch (error) {
    fault = error;
  }
  // The parser holds rows back until it knows what follows.
  await reader.end().catch((error: unknown) => {
    fault ??= error;
  });
  yield* reader.takeRows();
  if (fault !== undefined) throw fault;
}

/**
 * Parses CSV. Its rows are taken from an array, because a parser in a pipeline loses rows when it
 * fails.
 */
class CsvReader {
  readonly #cellStart = new CellStart();
  readonly #parser: csv.Parser;
  #rows: CsvRow[] = [];

  static async create(delimiter: string): Promise<CsvReader> {
    // Loaded on demand, because only CSV needs it.
    const { parse } = await import('csv-parse');
    return new CsvReader(parse, delimiter);
  }

  private constructor(parse: typeof csv.parse, delimiter: string) {
    this.#parser = parse({
      delimiter,
      skip_empty_lines: true,
      relax_column_count: true,
      max_record_size: MAX_RECORD,
      cast: (text, { quoting, lines }) => {
        this.#cellStart.afterCell(lines);
        return quoting || text !== '' ? text : undefined;
      },
      on_record: (cells: CsvRow['cells'], { lines, empty_lines }) => {
        this.#cellStart.afterRow(lines, empty_lines);
        this.#rows.push({ line: lines, cells });
        // The stream itself gets no records.
        return null;
      },
    });
    // The callbacks of `write` and `end` get the same errors.
    this.#parser.on('error', () => {}).resume();
  }

  /** The rows since the last call. */
  takeRows(): CsvRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  write(piece: string): Promise<void> {
    return this.#settled((callback) => this.#parser.write(piece, callback));
  }

  end(): Promise<void> {
    return this.#settled((callback) => this.#parser.end(callback));
  }

  #settled(start: (callback: (error?: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      start((error) => {
        if (error) reject(this.#faultOf(error as csv.CsvError));
        else resolve();
      });
    });
  }

  #faultOf({ code, message, column, empty_lines }: csv.CsvError): UsageError {
    const hint = 'The records before it are read. It and later ones are not added.';
    const line = this.#cellStart.line(column === 0, Number(empty_lines));
    if (code === 'CSV_QUOTE_NOT_CLOSED')
      return new UsageError(`CSV: the quote that opens on line ${line} is not closed.`, hint);
    if (code === 'CSV_MAX_RECORD_SIZE')
      return new UsageError(`CSV: the cell that begins on line ${line} does not end.`, hint);
    return new UsageError(`CSV: ${message}.`, hint);
  }
}

/**
 * Knows on which line the cell begins that the parser reads. The parser itself says only where a
 * cell ends.
 */
class CellStart {
  /** The line behind the last cell or row. */
  #next = 1;
  /** How many empty lines the parser has skipped before the last row. */
  #skipped = 0;

  /** The next cell of the row begins on the line on which this one ends. */
  afterCell(line: number): void {
    this.#next = line;
  }

  /** The next row begins on the line after this one, or behind empty lines. */
  afterRow(line: number, skipped: number): void {
    this.#next = line + 1;
    this.#skipped = skipped;
  }

  /**
   * The line of the current cell. `skipped` is how many empty lines the parser has skipped so far.
   */
  line(isFirstOfRow: boolean, skipped: number): number {
    if (!isFirstOfRow) return this.#next;
    const emptyLinesBeforeRow = skipped - this.#skipped;
    return this.#next + emptyLinesBeforeRow;
  }
}
