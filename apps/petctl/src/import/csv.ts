import { CsvError, type Parser, parse } from 'csv-parse';
import { UsageError } from '../errors.ts';
import { csvLine } from '../output/formats.ts';
import { type Line, startingWith } from './source-file.ts';

/** Servers accept less. Without this limit, a quote that is not closed would fill the memory. */
const MAX_RECORD = 4 * 2 ** 20;

export interface Row {
  /** The number of its last line. */
  readonly line: number;
  /** Its text, to store it in the --failed file. */
  readonly text: string;
  /** An undefined cell is a missing value. */
  readonly cells: readonly (string | undefined)[];
}

/**
 * The rows of CSV (RFC 4180). Only an empty cell without quotes is undefined. Yields all rows
 * before a fault of the file, and then throws.
 */
export async function* csvRows(
  first: Line,
  rest: AsyncIterable<Line>,
  delimiter: string,
): AsyncGenerator<Row, undefined> {
  // The rows go through an array, because a stream that fails loses the rows that were not read.
  const rows: Row[] = [];
  // The parser does not see the lines before the first one.
  const lineBefore = first.number - 1;
  let lastLine = lineBefore;
  const parser = newParser(delimiter, (cells, line) => {
    lastLine = lineBefore + line;
    rows.push({ line: lastLine, text: csvLine(cells).trimEnd(), cells });
  });
  let fault: unknown;
  try {
    for await (const { text } of startingWith(first, rest)) {
      await written(parser, `${text}\n`);
      yield* rows.splice(0);
    }
  } catch (error) {
    fault = error;
  }
  // The parser holds back a row until it knows what follows the row.
  await ended(parser).catch((error: unknown) => {
    fault ??= error;
  });
  yield* rows;
  if (fault !== undefined) throw explained(fault, lastLine);
}

function newParser(delimiter: string, onRow: (cells: Row['cells'], line: number) => void): Parser {
  const parser = parse({
    delimiter,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD,
    cast: (text, { quoting }) => (quoting || text !== '' ? text : undefined),
    on_record: (cells: Row['cells'], { lines }) => {
      onRow(cells, lines);
      // The stream itself gets no records.
      return null;
    },
  });
  // The callbacks of `write` and `end` get the same errors.
  return parser.on('error', () => {}).resume();
}

function written(parser: Parser, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    parser.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

function ended(parser: Parser): Promise<void> {
  return new Promise((resolve, reject) => {
    parser.end((error?: Error | null) => (error ? reject(error) : resolve()));
  });
}

/** The error for a fault of the file. The parser knows only the line where it noticed the fault. */
function explained(fault: unknown, lastLine: number): unknown {
  if (!(fault instanceof CsvError)) return fault;
  const hint = 'The records before it are read. It and later ones are not added.';
  if (fault.code === 'CSV_QUOTE_NOT_CLOSED')
    return new UsageError(`CSV: a quote that opens after line ${lastLine} is not closed.`, hint);
  if (fault.code === 'CSV_MAX_RECORD_SIZE')
    return new UsageError(`CSV: a cell that begins after line ${lastLine} does not end.`, hint);
  return new UsageError(`CSV: ${fault.message}.`, hint);
}
