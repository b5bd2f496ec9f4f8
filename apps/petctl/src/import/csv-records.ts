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
  MAX_RECORD,
  type RecordFile,
} from './record.ts';

/** A row of CSV. Only an empty cell without quotes is undefined. */
interface CsvRow {
  /** The number of its last line. */
  readonly line: number;
  readonly cells: readonly (string | undefined)[];
}

/** The records of CSV (RFC 4180). The first line names the columns. */
export async function csvRecords(
  chunks: AsyncIterable<string>,
  firstLine: string,
  operation: Operation,
): Promise<RecordFile> {
  const known = knownColumns(operation);
  rejectTable(firstLine);
  const rows = rowsOf(chunks, delimiterOf(firstLine, known));
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

/** A semicolon if that separates known names, as spreadsheets of some languages write it, else a comma. */
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
  chunks: AsyncIterable<string>,
  delimiter: string,
): AsyncGenerator<CsvRow, void> {
  const reader = await CsvReader.create(delimiter);
  let fault: unknown;
  try {
    for await (const chunk of chunks) {
      await reader.write(chunk);
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

/** Parses CSV. Its rows are taken from an array, because a parser in a pipeline loses rows when it fails. */
class CsvReader {
  readonly #position = new Position();
  readonly #parser: csv.Parser;
  #rows: CsvRow[] = [];

  static async create(delimiter: string): Promise<CsvReader> {
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
        this.#position.endCell(lines);
        return quoting || text !== '' ? text : undefined;
      },
      on_record: (cells: CsvRow['cells'], { lines, empty_lines }) => {
        this.#position.endRow(lines, empty_lines);
        this.#rows.push({ line: lines, cells });
        // The stream itself gets no records.
        return null;
      },
    });
    // The callbacks of `write` and `end` get the same errors.
    this.#parser.on('error', () => {}).resume();
  }

  takeRows(): CsvRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  write(chunk: string): Promise<void> {
    return this.#done((callback) => this.#parser.write(chunk, callback));
  }

  end(): Promise<void> {
    return this.#done((callback) => this.#parser.end(callback));
  }

  #done(start: (callback: (error?: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      start((error) => {
        if (error) reject(csvFault(error as csv.CsvError, this.#position));
        else resolve();
      });
    });
  }
}

/** Where the parser stands, to say where a quote was opened. */
class Position {
  #line = 1;
  #emptyLines = 0;

  /** The next cell begins on the line on which this one ends. */
  endCell(line: number): void {
    this.#line = line;
  }

  endRow(line: number, emptyLines: number): void {
    this.#line = line + 1;
    this.#emptyLines = emptyLines;
  }

  /** The line on which the current cell begins. */
  lineOfCell(isFirstOfRow: boolean, emptyLines: number): number {
    return isFirstOfRow ? this.#line + emptyLines - this.#emptyLines : this.#line;
  }
}

function csvFault(
  { code, message, column, empty_lines }: csv.CsvError,
  position: Position,
): UsageError {
  const hint = 'The records before it are read. It and later ones are not added.';
  const line = position.lineOfCell(column === 0, Number(empty_lines));
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return new UsageError(`CSV: the quote that opens on line ${line} is not closed.`, hint);
  if (code === 'CSV_MAX_RECORD_SIZE')
    return new UsageError(`CSV: the cell that begins on line ${line} does not end.`, hint);
  return new UsageError(`CSV: ${message}.`, hint);
}
