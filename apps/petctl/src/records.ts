import { createReadStream, fstatSync } from 'node:fs';
import { pipeline } from 'node:stream';
import type { Operation } from '@petstore/types';
import { UsageError } from './errors.ts';
import { csvLine } from './formats.ts';
import { checkComplete, checkMembers, type Input, parseJson, parseValue } from './input.ts';
import { columnsOf } from './output.ts';
import { codeOf, isObject, kebab } from './text.ts';

/** A record of a file: where it stands, its text to store it in another file, and its input. */
export interface ImportRecord {
  readonly place: string;
  readonly text: string;
  /** Throws a UsageError if the record cannot be sent. */
  readonly input: () => Input;
}

/** The records of JSON Lines, a JSON array or CSV, and the line that begins another file with some of them. */
export interface Records {
  readonly records: AsyncIterable<ImportRecord>;
  readonly header: string;
}

/** More than servers accept: a file without line ends or with an open quote would fill the memory. */
const MAX_RECORD = 4 * 2 ** 20;

/** Reads records in the format that the first character tells. */
export async function readRecords(chunks: AsyncGenerator<string>, operation: Operation): Promise<Records> {
  let start = '';
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    start = (start + next.value).trimStart();
    if (start !== '') break;
  }
  async function* all() {
    yield start;
    yield* chunks;
  }
  return /^[^[{]/.test(start)
    ? csvRecords(all(), operation)
    : { records: jsonRecords(all(), start.startsWith('['), operation), header: '' };
}

/** The text of a file or of stdin, and how much of it is read, from 0 to 1. */
export function openText(file: string) {
  const stream = file === '-' ? process.stdin : createReadStream(file);
  let [read, size, isClosed] = [0, 0, false];
  stream.on('open', (descriptor: number) => {
    size = fstatSync(descriptor).size;
  });
  async function* chunks(): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    try {
      for await (const chunk of stream) {
        read += chunk.length;
        yield decoder.decode(chunk, { stream: true });
      }
      yield decoder.decode();
    } catch (error) {
      if (isClosed) return;
      throw new UsageError(
        `${file} cannot be read after byte ${read} (${codeOf(error)}).`,
        'Check it and its encoding.',
      );
    }
  }
  const close = () => {
    isClosed = true;
    stream.destroy();
  };
  return { chunks: chunks(), progress: () => (size > 0 ? Math.min(1, read / size) : undefined), close };
}

async function* jsonRecords(
  chunks: AsyncIterable<string>,
  isArray: boolean,
  operation: Operation,
): AsyncGenerator<ImportRecord> {
  // What petctl lists has members that the operation does not take, such as the identifier.
  const ignored = columnsOf(operation).filter((name) => !Object.hasOwn(operation.fields, name));
  for await (const [number, text] of jsonTexts(chunks, isArray)) {
    const place = `${isArray ? 'element' : 'line'} ${number}`;
    const input = () => {
      const value = parseJson(text, place);
      if (isObject(value)) for (const name of ignored) delete value[name];
      return checkComplete(checkMembers(value, operation, place), operation, place);
    };
    yield { place, text, input };
  }
}

/** The text of each line that is not blank, or of each element of an array, with its number. */
async function* jsonTexts(chunks: AsyncIterable<string>, isArray: boolean): AsyncGenerator<[number, string]> {
  let [number, depth, inText, isEscaped, rest] = [1, 0, false, false, ''];
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const character = chunk.charAt(at);
      let isEnd = !isArray && character === '\n';
      if (isArray && inText) {
        inText = isEscaped || character !== '"';
        isEscaped = !isEscaped && character === '\\';
      } else if (isArray) {
        inText = character === '"';
        if ('[{'.includes(character) && depth++ === 0) start = at + 1;
        if (']}'.includes(character)) depth--;
        isEnd = (character === ',' && depth === 1) || (character === ']' && depth === 0);
      }
      if (!isEnd) continue;
      const text = (rest + chunk.slice(start, at)).trim();
      if (text !== '') yield [number, text];
      [number, rest, start] = [number + 1, '', at + 1];
    }
    rest += chunk.slice(start);
    if (rest.length > MAX_RECORD || (isArray && depth === 0 && rest.trim() !== ''))
      throw new UsageError(`Record ${number} does not end.`, 'Check its quotes and brackets.');
  }
  if (depth > 0) throw new UsageError(`The array ends within element ${number}.`, 'Check its quotes and brackets.');
  if (rest.trim() !== '') yield [number, rest.trim()];
}

/** What csv-parse makes of a record. Only an empty cell without quotes is undefined. */
interface CsvRow {
  readonly info: { readonly lines: number };
  readonly record: readonly (string | undefined)[];
}

async function csvRecords(chunks: AsyncGenerator<string>, operation: Operation): Promise<Records> {
  const { parse } = await import('csv-parse');
  const parser = parse({
    info: true,
    bom: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD,
    cast: (text, { quoting }) => (quoting || text !== '' ? text : undefined),
  });
  // An error of the file ends the iteration of the parser.
  pipeline(chunks, parser, () => {});
  const rows: AsyncIterator<CsvRow> = parser[Symbol.asyncIterator]();
  const next = () =>
    rows.next().catch((error: Error) => {
      const hint = 'Records from there on are not added. Fix it, and run the same import again.';
      throw error instanceof UsageError ? error : new UsageError(`${error.message}.`, hint);
    });
  const first = await next();
  const titles = first.done ? [] : first.value.record.map((title = '') => title.trim());
  const names = titles.map((title, i) => inputName(title, titles.indexOf(title) === i, operation));
  async function* records(): AsyncGenerator<ImportRecord> {
    for (let row = await next(); !row.done; row = await next()) {
      const { info, record } = row.value;
      const place = `line ${info.lines}`;
      yield { place, text: csvLine(record).trimEnd(), input: () => csvInput(record, names, operation, place) };
    }
  }
  return { records: records(), header: csvLine(titles) };
}

/** The input that a column sets; undefined for one that the operation returns but does not take. */
function inputName(title: string, isFirst: boolean, operation: Operation): string | undefined {
  const names = Object.keys(operation.fields);
  const found = [...names, ...columnsOf(operation)].find((name) => name === title || kebab(name) === title);
  if (found !== undefined && isFirst) return names.includes(found) ? found : undefined;
  throw new UsageError(
    `The header of the CSV has the column '${title.slice(0, 40)}'${isFirst ? ', which is no member' : ' twice'}.`,
    `Use ${names.join(', ')}, separated by commas.`,
  );
}

function csvInput(cells: CsvRow['record'], names: readonly unknown[], operation: Operation, place: string): Input {
  if (cells.length !== names.length)
    throw new UsageError(`${place}: it has ${cells.length} cells, but the header has ${names.length}.`);
  const input: Input = {};
  for (const [i, cell] of cells.entries()) {
    const name = names[i];
    if (typeof name !== 'string' || cell === undefined) continue;
    try {
      input[name] = parseValue(cell, operation.fields[name]?.schema ?? {});
    } catch (error) {
      throw new UsageError(`${place}: ${name} '${cell}' is invalid.`, codeOf(error));
    }
  }
  return checkComplete(input, operation, place);
}
