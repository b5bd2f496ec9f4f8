import { expectLinearAsync, leastCpuTime } from '@petstore/testing/linear';
import { type Operation, operations } from '@petstore/types';
import { expect, test } from 'vitest';
import { readRecords } from '../src/commands/import/records.ts';
import { suggestion } from '../src/io/errors.ts';

const CHUNK = 'a'.repeat(2 ** 16);
const operation: Operation = operations.createPet;

async function* chunksOf(head: string, chunk: string, count: number, tail: string): AsyncGenerator<string> {
  yield head;
  for (let i = 0; i < count; i++) yield chunk;
  yield tail;
}

test.each([
  ['a line of JSON', '{"name":"', CHUNK, '","categoryId":1}\n', 'jsonl'],
  ['blanks before the first line', '', ' '.repeat(2 ** 16), '{"name":"a","categoryId":1}\n', undefined],
] as const)('the time to parse is linear in the length: %s', async (_, head, chunk, tail, format) => {
  await expectLinearAsync(async (count) => {
    const { records: lines } = await readRecords(chunksOf(head, chunk, count, tail), format, operation);
    const found: number[] = [];
    for await (const { raw } of lines) found.push(raw.length);
    expect(found).toHaveLength(1);
    expect(found[0]).toBeGreaterThan(chunk === CHUNK ? count * CHUNK.length : 20);
  }, 40);
});

test('the error for a file that is not CSV is short', async () => {
  const title = 'a'.repeat(2 ** 20);
  await expect(readRecords(chunksOf('', title, 1, '\n1\n'), 'csv', operation)).rejects.toThrow(
    `The header of the CSV names '${'a'.repeat(80)}', which is not a property.`,
  );
});

test.each([
  ['a cell without end', CHUNK, 'line 2: it is longer than 4 MiB'],
  ['a quote without end', `"${CHUNK}`, 'line 2: it is longer than 4 MiB'],
])('%s of CSV is rejected before it fills the memory', async (_, first, message) => {
  const { records } = await readRecords(chunksOf(`name,categoryId\n${first}`, CHUNK, 1000, '\n'), 'csv', operation);
  const reading = records[Symbol.asyncIterator]().next();
  await expect(reading).rejects.toThrow(message);
});

test.each([
  ['jsonl', 'line 1 has more than 256 MiB.'],
  ['json', 'the file has more than 256 MiB.'],
] as const)('%s without end is rejected before it fills the memory', async (format, message) => {
  const { records } = await readRecords(chunksOf('["', CHUNK, 5_000, '"]'), format, operation);
  await expect(records[Symbol.asyncIterator]().next()).rejects.toThrow(message);
});

test.each([' ', '\n'])(
  'endless blanks, %j, before the first record are rejected before they fill the memory',
  async (blank) => {
    const blanks = chunksOf('', blank.repeat(CHUNK.length), 5_000, '');
    await expect(readRecords(blanks, undefined, operation)).rejects.toThrow(
      'the white space before the first record has more than 256 MiB.',
    );
  },
);

test('the search for a suggestion for a very long word takes less time than a copy of its characters', () => {
  const word = CHUNK.repeat(100);
  const candidates = Object.keys(operation.fields);
  expect(leastCpuTime(() => void suggestion(word, candidates, ''))).toBeLessThan(leastCpuTime(() => void [...word]));
});
