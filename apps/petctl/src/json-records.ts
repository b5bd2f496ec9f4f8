import { exactJson, type Operation } from '@petstore/types';
import { UsageError } from './errors.ts';
import { parseJson } from './input.ts';
import { type ImportRecord, inputOf, linesOf } from './record.ts';

/** An array is held in memory. */
const MAX_ARRAY = 64 * 2 ** 20;

/** The records of JSON Lines. Blank lines are none. */
export async function* jsonLineRecords(
  chunks: AsyncIterable<string>,
  operation: Operation,
): AsyncGenerator<ImportRecord> {
  let number = 0;
  let isFirst = true;
  for await (const line of linesOf(chunks)) {
    number++;
    const text = line.trim();
    if (text === '') continue;
    const place = `line ${number}`;
    if (isFirst) checkOneLine(text, place);
    isFirst = false;
    yield { place, text, input: () => inputOf(parseJson(text, place), operation, place) };
  }
}

/** Throws if the first line begins an object that it does not end, as in indented JSON. */
function checkOneLine(text: string, place: string): void {
  if (text.endsWith('}')) return;
  throw new UsageError(
    `${place}: this looks like a JSON object on several lines.`,
    "Put each object on one line, as 'jq -c .' does, or all of them into an array.",
  );
}

/** The records of a JSON array, which is valid as a whole or not at all. */
export async function* jsonArrayRecords(
  chunks: AsyncIterable<string>,
  operation: Operation,
): AsyncGenerator<ImportRecord> {
  let array = '';
  for await (const chunk of chunks) {
    array += chunk;
    if (array.length > MAX_ARRAY)
      throw new UsageError('The array is too large.', 'Use JSON Lines.');
  }
  const values = parseJson(array, 'The array');
  if (!Array.isArray(values)) return;
  for (const [index, value] of values.entries()) {
    const place = `element ${index + 1}`;
    yield { place, text: exactJson(value), input: () => inputOf(value, operation, place) };
  }
}
