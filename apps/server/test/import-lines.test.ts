import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { documentsOf } from '../src/cli/import-lines.ts';
import { encode } from '../src/store/document.ts';

const anything = { name: 'orders', id: 'orderId', indexes: [] };

async function imported(lines: readonly string[]) {
  const documents = [];
  for await (const batch of documentsOf(Readable.from([lines.join('\n')]), anything)) documents.push(...batch);
  return documents;
}

test('a document of a collection without a schema is taken as it is, large integers to the last digit', async () => {
  const line = '{"orderId":7,"sum":9223372036854775807,"parts":[{"sum":-9223372036854775808,"ratio":0.1}]}';
  const [document, ...others] = await imported([line]);
  expect(others).toEqual([]);
  expect(document?.id).toBe(7);
  expect(encode(document?.properties)).toBe(line);
});

test.each(['[]', '7', 'null', '{', '{"orderId":"7"}', '{"orderId":0}', '{"orderId":1.5}'])(
  'the line %s is not a document',
  async (line) => {
    await expect(imported([line])).rejects.toThrow('Line 1 is not a document of orders.');
  },
);
