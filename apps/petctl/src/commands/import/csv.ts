import type { Operation } from '@petstore/types';
import { suggestion, UsageError } from '../../io/errors.ts';
import { kebab } from '../../settings/flag.ts';
import { readValue } from '../../settings/value.ts';

/** A file that is no CSV may be a single title. */
const MAX_TITLE_SHOWN = 80;

/** One line of the input: where it stood, as it stood, and what it says. */
export interface InputLine {
  readonly line: number;
  readonly raw: string;
  /** The input of the call. Throws a UsageError where the line breaks a rule of the spec. */
  readonly read: () => Record<string, unknown>;
}

/** One record of a CSV file; a cell without quotes and without text is nothing. */
interface CsvRecord {
  readonly line: number;
  readonly raw: string;
  readonly cells: readonly (string | undefined)[];
  /** What is wrong with its quotes. */
  readonly fault?: string;
}

/** Splits CSV into records (RFC 4180); quoted cells may hold line ends. */
export async function* csvRecords(chunks: AsyncIterable<string>): AsyncGenerator<CsvRecord, undefined> {
  let [raw, line, start, quotes] = ['', 1, 1, false];
  for await (const chunk of chunks) {
    let from = 0;
    for (let i = 0; i < chunk.length; i++) {
      if (chunk[i] === '"') quotes = !quotes;
      if (chunk[i] !== '\n') continue;
      line++;
      if (quotes) continue;
      yield* record(raw + chunk.slice(from, i), start);
      [raw, from, start] = ['', i + 1, line];
    }
    raw += chunk.slice(from);
  }
  yield* record(raw, start);
}

function* record(text: string, line: number): Generator<CsvRecord> {
  const raw = text.replace(/\r$/, '');
  if (raw.trim() === '') return;
  const cells: (string | undefined)[] = [];
  // A cell is quoted with doubled quotes inside, or it has none at all. By hand, because a long one is too much for a regular expression.
  for (let at = 0; at <= raw.length; at++) {
    const isQuoted = raw[at] === '"';
    let end = raw.indexOf(isQuoted ? '"' : ',', at + (isQuoted ? 1 : 0));
    while (isQuoted && end >= 0 && raw[end + 1] === '"') end = raw.indexOf('"', end + 2);
    if (isQuoted && end < 0) break;
    const text = raw.slice(isQuoted ? at + 1 : at, end < 0 ? undefined : end);
    if (!isQuoted && text.includes('"')) break;
    cells.push(isQuoted ? text.replaceAll('""', '"') : text || undefined);
    at = isQuoted ? end + 1 : end < 0 ? raw.length : end;
    if (at === raw.length) return yield { line, raw, cells };
    if (raw[at] !== ',') break;
  }
  yield { line, raw, cells, fault: 'its quotes do not match' };
}

/** Records as input of an operation, by the names in the header: those of the interface, or of the flags. */
export async function* csvReader(
  header: CsvRecord,
  records: AsyncIterable<CsvRecord>,
  operation: Operation,
): AsyncGenerator<InputLine> {
  const names = Object.keys(operation.fields);
  const columns = header.cells.map((title = '') => {
    const name = names.find((one) => one === title.trim() || kebab(one) === title.trim());
    if (name === undefined)
      throw new UsageError(
        `The header of the CSV names '${title.slice(0, MAX_TITLE_SHOWN)}', which is no member.`,
        suggestion(title, names, `There are ${names.join(', ')}.`),
      );
    return name;
  });
  for await (const { line, raw, cells, fault } of records) {
    yield { line, raw, read: () => complete(inputOf(cells, fault, columns, operation, line), operation, line) };
  }
}

function inputOf(
  cells: readonly (string | undefined)[],
  fault: string | undefined,
  columns: readonly string[],
  { fields }: Operation,
  line: number,
): Record<string, unknown> {
  if (fault) throw new UsageError(`line ${line}: ${fault}.`);
  if (cells.length !== columns.length)
    throw new UsageError(`line ${line} has ${cells.length} cells, and the header ${columns.length}.`);
  const input: Record<string, unknown> = {};
  for (const [i, name] of columns.entries()) {
    const text = cells[i];
    const rules = fields[name]?.schema;
    if (text === undefined || !rules) continue;
    const read = readValue(text, rules);
    if ('fault' in read) throw new UsageError(`line ${line}: ${name} '${text}' ${read.fault}.`);
    input[name] = read.value;
  }
  return input;
}

/** Refuses input in which something required is missing. */
export function complete(input: Record<string, unknown>, { fields }: Operation, line: number): Record<string, unknown> {
  const missing = Object.keys(fields).filter((name) => fields[name]?.required && !(name in input));
  if (missing.length > 0) throw new UsageError(`line ${line}: ${missing.join(' and ')} missing.`);
  return input;
}
