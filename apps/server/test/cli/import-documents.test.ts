import { Readable } from 'node:stream';
import { exactJson } from '@petstore/types';
import { expect, test } from 'vitest';
import { documentsOf, importDocuments } from '../../src/cli/import-documents.ts';
import { allCollections, collections } from '../../src/collections.ts';
import type { CollectionDeclaration } from '../../src/store/document.ts';
import { memoryStore } from '../../src/store/memory.ts';

const anything = { name: 'orders', id: 'orderId', indexes: [] };

async function imported(lines: readonly string[], declaration: CollectionDeclaration = anything) {
  const documents = [];
  for await (const batch of documentsOf(Readable.from([Buffer.from(lines.join('\n'))]), declaration))
    documents.push(...batch);
  return documents;
}

test('a document of a collection without a schema is stored unchanged, with exact integers', async () => {
  const line = '{"orderId":7,"sum":9223372036854775807,"parts":[{"sum":-9223372036854775808,"ratio":0.1}]}';
  const [document, ...others] = await imported([line]);
  expect(others).toEqual([]);
  expect(document?.id).toBe(7);
  expect(exactJson(document?.properties)).toBe(line);
});

test.each(['[]', '7', 'null', '{"orderId":"7"}', '{"orderId":0}', '{"orderId":1.5}'])(
  'the line %s is not a document, because it has no identifier',
  async (line) => {
    await expect(imported([line])).rejects.toThrow(
      "Line 1 'orderId': must be an integer from 1 to 9007199254740991; correct it and import again.",
    );
  },
);

test.each([anything, collections.pets])(
  'the message for a line of $name that is not JSON says so',
  async (declaration) => {
    await expect(imported(['{'], declaration)).rejects.toThrow('Line 1: it is not JSON; correct it and import again.');
  },
);

test.each([
  ['7', 'Line 2: must be object; correct it and import again.'],
  [
    '{"id":2,"name":"a","categoryId":1,"colour\\u001b[1m":"red"}',
    "Line 2 'colour%1B[1m': there is no such property; correct it and import again.",
  ],
  [
    '{"id":2,"name":"a","categoryId":1,"status":"gone"}',
    "Line 2 'status': must be equal to one of the allowed values: available, pending, sold; correct it and import again.",
  ],
  ['{"id":2,"name":"a"}', "Line 2 'categoryId': it is missing; correct it and import again."],
  ['{"name":"a","categoryId":1}', "Line 2 'id': it is missing; correct it and import again."],
  ['{"id":0,"name":"a","categoryId":1}', "Line 2 'id': must be >= 1; correct it and import again."],
  [
    '{"id":2,"name":"a","name":"b","categoryId":1}',
    "Line 2 'name': it appears more than once; correct it and import again.",
  ],
  [
    '{"id":1,"name":"a","categoryId":1}',
    'Line 2: the identifier 1 follows 1; sort the documents by identifier, each once.',
  ],
])('a collection with a schema rejects %s', async (line, sentence) => {
  const first = '{"id":1,"name":"a","categoryId":1}';
  await expect(imported([first, line], collections.pets)).rejects.toThrow(sentence);
});

test('an import can be repeated, whatever way its numbers are written', async () => {
  const store = memoryStore(allCollections);
  const lines = ['{"id":1,"name":"a","categoryId":-0}', '{"id":2.0,"name":"b","categoryId":1e2}'];
  const run = () => {
    const batches = documentsOf(Readable.from([Buffer.from(lines.join('\n'))]), collections.pets);
    return importDocuments(store, collections.pets, batches, () => {});
  };
  expect(await run()).toEqual({ added: 2, existing: 0 });
  expect(await run()).toEqual({ added: 0, existing: 2 });
});

test('invalid UTF-8 is rejected at any position', async () => {
  const pieces = (name: string) => [Buffer.from('{"orderId":1}\n{"orderId":2,"name":"'), Buffer.from(name, 'latin1')];
  for (const name of ['\xff"}\n', '\xc3"}', '\xe2\x82']) {
    const reading = documentsOf(Readable.from(pieces(name)), anything).next();
    await expect(reading).rejects.toThrow(/Line [12], or one soon after it, is not UTF-8;/);
  }
  // A character may span two chunks.
  const split = [...pieces('\xe2\x82'), Buffer.from('\xac"}', 'latin1')];
  const { value } = await documentsOf(Readable.from(split), anything).next();
  expect(value).toEqual([
    { id: 1, properties: { orderId: 1 } },
    { id: 2, properties: { orderId: 2, name: '€' } },
  ]);
});

test('the time for a line is linear in its length', async () => {
  const chunk = Buffer.alloc(2 ** 16, 'a');
  const cost = async (count: number) => {
    const used: number[] = [];
    for (let round = 0; round < 3; round++) {
      const chunks = [Buffer.from('{"orderId":1,"name":"'), ...Array(count).fill(chunk), Buffer.from('"}')];
      const before = process.cpuUsage();
      expect((await documentsOf(Readable.from(chunks), anything).next()).value).toHaveLength(1);
      const { user, system } = process.cpuUsage(before);
      used.push(user + system);
    }
    return Math.min(...used);
  };
  const few = await cost(40);
  expect(await cost(320)).toBeLessThan(Math.max(few, 5_000) * 24);
});

test('an input that cannot be read to its end is rejected with the reason', async () => {
  const input = Readable.from(
    (async function* () {
      yield Buffer.from('{"orderId":1}\n');
      throw Object.assign(new Error('read EIO'), { code: 'EIO' });
    })(),
  );
  const batches = documentsOf(input, anything);
  await expect(batches.next()).rejects.toThrow('The input cannot be read (EIO); import again from the start.');
});
