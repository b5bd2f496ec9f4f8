import { newFolder } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { allCollections } from '../../src/collections.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { memoryStore } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/store.ts';
import { listen, modes } from '../listen.ts';

const integers = [
  ...['0', '-1', '9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993'],
  ...['9223372036854775807', '-9223372036854775808', '1152921504606846977'],
];
/** Names as the JSON of the request has them, and as that of the response has them. */
const names = [
  ['\\u0000', '\\u0000'],
  ['a\\u0000b', 'a\\u0000b'],
  ['\\ud83d\\ude00', '😀'],
  ['\\u2028', '\u2028'],
] as const;

describe.each(modes)('%s', (_, options) => {
  const stores: [string, (folder: string) => Promise<Store>][] = [
    ['memory', async () => memoryStore(allCollections)],
    ['lowdb', (folder) => openLowdbStore(folder, allCollections)],
  ];
  test.each(stores)('%s stores and returns each integer and each string unchanged', async (_, open) => {
    const folder = newFolder();
    const store = await open(folder);
    const server = await listen(options, store);
    const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' };
    const sent = [...integers.map((n) => [n, n, 'x', 'x']), ...names.map(([a, b]) => ['1', '1', a, b])];
    const expected: string[] = [];
    for (const [categoryId, exact, name, returned] of sent) {
      const body = `{"name":"${name}","categoryId":${categoryId}}`;
      const response = await fetch(`${server.baseUrl}/pets`, { method: 'POST', headers, body });
      const pet = `{"id":${expected.length + 1},"name":"${returned}","categoryId":${exact}}`;
      expect([response.status, await response.text()]).toEqual([201, pet]);
      expect(await (await fetch(`${server.baseUrl}/pets/${expected.length + 1}`, { headers })).text()).toBe(pet);
      expected.push(pet);
    }
    const page = await (await fetch(`${server.baseUrl}/pets?limit=100`, { headers })).text();
    expect(page.replaceAll(',\n', ',')).toBe(`[${expected.join(',')}]`);
    await server.close();
    await store.close();

    const again = await openLowdbStore(folder, allCollections);
    const { json, count } = await again.collection('pets').list({ after: 0, limit: 100 });
    expect(Buffer.from(json.text, json.encoding).toString()).toBe(count === 0 ? '[]' : `[${expected.join(',\n')}]`);
    await again.close();
  });
});
