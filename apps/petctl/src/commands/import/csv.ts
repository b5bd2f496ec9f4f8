import { type CsvError, parse } from 'csv-parse';
import { kebab } from '../../flags/flag.ts';
import { parseValue } from '../../flags/parse-value.ts';
import { suggestion, UsageError } from '../../io/errors.ts';
import type { Operation } from '../../old.ts';
import type { Input } from '../../parse/command.ts';

/** The length of a title in error messages: a file that is not CSV may be one long title. */
const MAX_TITLE_LENGTH = 80;
/** More than servers accept by default, to detect an unclosed quote before a long file ends. */
const MAX_RECORD_LENGTH = 4 * 2 ** 20;

/** One record of a CSV file, in which an empty cell without quotes is undefined. */
export interface CsvRecord {
  readonly line: number;
  readonly raw: string;
  readonly cells: readonly (string | undefined)[];
}

/** Splits CSV into records (RFC 4180), and throws at unmatched quotes. */
export async function* csvRecords(chunks: AsyncIterable<string>): AsyncGenerator<CsvRecord, undefined> {
  const parsed: ParsedRecord[] = [];
  // The text of a record is cut from the chunks: the parser's `raw` omits half of a line end, and takes quadratic time.
  const parser = parse({
    info: true,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    cast: (text, { quoting }) => (quoting || text !== '' ? text : undefined),
    // Unlike the stream, a callback also gets the records before an invalid one. The types ignore that `info` changes the
    // record.
    on_record: (record) => void parsed.push(record as unknown as ParsedRecord),
  });
  // The callbacks get the error, too.
  parser.once('error', () => {});
  let line = 1;
  /** The bytes after the last record, and their offset. */
  let rest = Buffer.alloc(0);
  let offset = 0;
  /** Yields the records that the parser has completed, with their lines and text. */
  function* takeParsed(): Generator<CsvRecord, undefined> {
    for (const { info, record } of parsed.splice(0)) {
      const text = rest.toString('utf8', 0, info.bytes - offset);
      rest = rest.subarray(info.bytes - offset);
      offset = info.bytes;
      const raw = text.replace(/^[\r\n]+|\r?\n$/g, '');
      const start = line + emptyLinesBefore(text);
      line += linesIn(text);
      if (raw.trim() !== '') yield { line: start, raw, cells: record };
    }
  }
  const nextLine = () => line + emptyLinesBefore(rest.toString());
  /** Yields the records of a parsed part, and then throws its error. */
  async function* records(parsePart: (done: (error?: Error | null) => void) => void) {
    const error = await new Promise<Error | null | undefined>((resolve) => parsePart(resolve));
    yield* takeParsed();
    if (!error) return;
    // The options of the parser allow only errors of quotes.
    const isOpen = (error as CsvError).code === 'CSV_QUOTE_NOT_CLOSED';
    throw recordError(nextLine(), isOpen ? 'a quote is opened and never closed' : 'its quotes do not match');
  }
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, Buffer.from(chunk)]);
    yield* records((done) => parser.write(chunk, done));
    if (rest.length > MAX_RECORD_LENGTH) throw recordError(nextLine(), TOO_LONG);
  }
  yield* records((done) => parser.end(done));
}

/** A record of csv-parse. */
interface ParsedRecord {
  /** The byte offset of its end. */
  readonly info: { readonly bytes: number };
  readonly record: (string | undefined)[];
}

const linesIn = (text: string) => text.split('\n').length - 1;
const emptyLinesBefore = (text: string) => linesIn(text.slice(0, text.length - text.trimStart().length));

const TOO_LONG = `it is longer than ${MAX_RECORD_LENGTH / 2 ** 20} MiB, perhaps because a quote is never closed`;

function recordError(line: number, problem: string): UsageError {
  return new UsageError(
    `line ${line}: ${problem}. This and later lines were not read.`,
    'Write "" for a quote within a quoted cell.',
  );
}

/** The name of the input that each column sets; undefined for ignored columns. */
export type Columns = readonly (string | undefined)[];

/** The columns of a header. Throws for a title that neither an input nor an ignorable property has. */
export function inputNames(header: CsvRecord, { fields }: Operation, ignorable: readonly string[]): Columns {
  const names = Object.keys(fields);
  const titles = header.cells.map((title = '') => title.trim());
  const named = (title: string, all: readonly string[]) => all.find((one) => one === title || kebab(one) === title);
  const columns = titles.map((title) => {
    const name = named(title, names);
    if (name !== undefined || named(title, ignorable) !== undefined) return name;
    const separator = [';', '\t'].find((one) => title.split(one).some((part) => named(part.trim(), names)));
    throw new UsageError(
      `The header of the CSV names '${title.slice(0, MAX_TITLE_LENGTH)}', which is not a property.`,
      separator
        ? `It seems to use ${separator === ';' ? 'semicolons' : 'tabs'}: separate cells by commas.`
        : suggestion(title, names),
    );
  });
  const twice = columns.find((name, i) => name !== undefined && columns.indexOf(name) !== i);
  if (twice !== undefined)
    throw new UsageError(`The header of the CSV names '${twice}' twice.`, 'Remove one of the two columns.');
  return columns;
}

/** Converts a record to an operation's input. Throws for an invalid value or a wrong number of cells. */
export function csvInput({ line, cells }: CsvRecord, columns: Columns, { fields }: Operation): Input {
  if (cells.length !== columns.length)
    throw new UsageError(`line ${line}: the number of cells is ${cells.length}, but ${columns.length} in the header.`);
  const input: Input = {};
  for (const [i, name] of columns.entries()) {
    const text = cells[i];
    const schema = name === undefined ? undefined : fields[name]?.schema;
    if (name === undefined || text === undefined || !schema) continue;
    const parsed = parseValue(text, schema);
    if ('problem' in parsed) throw new UsageError(`line ${line}: ${name} '${text}' ${parsed.problem}.`);
    input[name] = parsed.value;
  }
  return input;
}
