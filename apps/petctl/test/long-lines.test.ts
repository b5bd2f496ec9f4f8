import { type Operation, operations } from '@petstore/types';
import { expect, test } from 'vitest';
import { readLines } from '../src/commands/import/records.ts';
import { sentence } from '../src/io/errors.ts';

const CHUNK = 'a'.repeat(2 ** 16);
const operation: Operation = operations.createPet;

async function* chunksOf(head: string, chunk: string, count: number, tail: string): AsyncGenerator<string> {
  yield head;
  for (let i = 0; i < count; i++) yield chunk;
  yield tail;
}

/** The least CPU time of some rounds, in microseconds. */
async function cost(work: () => Promise<void>): Promise<number> {
  const used: number[] = [];
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    used.push(user + system);
  }
  return Math.min(...used);
}

test.each([
  ['a line of JSON', '{"name":"', CHUNK, '","categoryId":1}\n', 'jsonl'],
  ['blanks before the first line', '', ' '.repeat(2 ** 16), '{"name":"a","categoryId":1}\n', undefined],
  ['a cell of CSV', 'name,categoryId\n', CHUNK, ',1\n', 'csv'],
  ['a cell that never ends', 'name,categoryId\n"', CHUNK, '\n', 'csv'],
] as const)('reading takes time that grows with the length alone: %s', async (_, head, chunk, tail, format) => {
  const read = (count: number) => async () => {
    const { lines } = await readLines(chunksOf(head, chunk, count, tail), format, operation);
    const found: number[] = [];
    for await (const { raw } of lines) found.push(raw.length);
    expect(found).toHaveLength(1);
    expect(found[0]).toBeGreaterThan(chunk === CHUNK ? count * CHUNK.length : 20);
  };
  const few = await cost(read(40));
  expect(await cost(read(320))).toBeLessThan(Math.max(few, 5_000) * 24);
});

test('a file that is no CSV is told in few words', async () => {
  const { lines } = await readLines(chunksOf('', CHUNK, 100, '\n1\n'), 'csv', operation);
  const reading = lines[Symbol.asyncIterator]().next();
  await expect(reading).rejects.toThrow(`The header of the CSV names '${'a'.repeat(80)}', which is no member.`);
});

test('a word that is far too long is not compared letter by letter', async () => {
  const word = CHUNK.repeat(100);
  const candidates = Object.keys(operation.fields);
  expect(await cost(async () => void sentence({ word, candidates, otherwise: '' }))).toBeLessThan(500_000);
});
