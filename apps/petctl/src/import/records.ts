import { exactJson, type Operation } from '@petstore/types';
import { UsageError } from '../errors.ts';
import { parseJson } from '../input.ts';
import type { ImportRecord, RecordFile } from './record-sender.ts';
import { csvRecords, tsvRecords } from './rows.ts';
import { firstLine, type Line, MAX_LENGTH, startingWith } from './source-file.ts';

/** The records of a file. The first line that is not blank tells the format of the file. */
export async function readRecords(
  lines: AsyncGenerator<Line>,
  operation: Operation,
): Promise<RecordFile> {
  const first = await firstLine(lines);
  const all = startingWith(first, lines);
  const start = first.text.trim();
  if (start.startsWith('[')) return { header: '', records: jsonArrayRecords(all) };
  if (start.startsWith('{') || start === '') {
    checkOneLine(first);
    return { header: '', records: jsonLineRecords(all) };
  }
  return first.text.includes('\t')
    ? tsvRecords(first, lines, operation)
    : csvRecords(first, lines, operation);
}

/** The records of JSON Lines. Blank lines are skipped. */
async function* jsonLineRecords(lines: AsyncIterable<Line>): AsyncGenerator<ImportRecord> {
  for await (const { number, text: line } of lines) {
    const text = line.trim();
    const place = `line ${number}`;
    if (text !== '') yield { place, text, value: () => parseJson(text, place) };
  }
}

/** Throws for an object that does not end on its line, as in indented JSON. */
function checkOneLine({ number, text }: Line): void {
  const object = text.trim();
  if (object === '' || object.endsWith('}')) return;
  throw new UsageError(
    `line ${number}: the JSON object does not end on this line.`,
    "Put each object on one line, as 'jq -c .' does, or all of them into an array.",
  );
}

/** The records of a JSON array. The array is read as a whole, because it may be invalid at its end. */
async function* jsonArrayRecords(lines: AsyncIterable<Line>): AsyncGenerator<ImportRecord> {
  let array = '';
  for await (const { text } of lines) {
    array += `${text}\n`;
    if (array.length > MAX_LENGTH)
      throw new UsageError('The array is too large.', 'Use JSON Lines.');
  }
  const values = parseJson(array, 'The array');
  if (!Array.isArray(values)) return;
  for (const [index, value] of values.entries()) {
    yield { place: `element ${index + 1}`, text: exactJson(value), value: () => value };
  }
}
