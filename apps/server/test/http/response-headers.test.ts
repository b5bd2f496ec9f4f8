import { apiKey } from '@petstore/testing/server';
import { operations } from '@petstore/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { allCollections } from '../../src/collections.ts';
import { handlers } from '../../src/handlers.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { listenForSuite, modes } from '../listen.ts';

describe.each(modes)('%s', (_, options) => {
  const store = memoryStore(allCollections);
  const server = listenForSuite(options, store);
  beforeAll(async () => {
    for (let i = 1; i <= 5; i++)
      await handlers(store).createPet({ name: `pet ${i}`, categoryId: i, status: i % 2 ? 'sold' : 'pending' });
  });

  const get = (path: string, key = apiKey) =>
    fetch(server().baseUrl + path, { headers: { authorization: `Bearer ${key}` } });

  test.each([
    ['/pets?limit=2', '<?limit=2&after=2>; rel="next"'],
    ['/pets?after=1&limit=2', '<?after=3&limit=2>; rel="next"'],
    ['/pets?limit=1&status=sold', '<?limit=1&status=sold&after=1>; rel="next"'],
    ['/pets?limit=5', '<?limit=5&after=5>; rel="next"'],
    ['/pets?limit=6', null],
    ['/pets', null],
    ['/pets?limit=5&after=5', null],
  ])('%s has the Link header %s', async (path, link) => {
    expect((await get(path)).headers.get('link')).toBe(link);
  });

  test.each([
    ['a success', 200, '/pets/1', undefined],
    ['a miss', 404, '/pets/99', undefined],
    ['an impossible identifier', 404, '/pets/abc', undefined],
    ['an unknown parameter', 400, '/pets/1?x=1', undefined],
    ['a wrong key', 401, '/pets/1', 'some-other-key'],
  ])('%s of the deprecated operation has the deprecation headers', async (_, status, path, key) => {
    const response = await get(path, key);
    const { headers } = response;
    expect(response.status).toBe(status);
    expect(Object.fromEntries(['deprecation', 'sunset', 'link'].map((name) => [name, headers.get(name)]))).toEqual({
      deprecation: `@${Date.parse(operations.getPet.deprecatedSince) / 1000}`,
      sunset: new Date(operations.getPet.sunset).toUTCString(),
      link: '</v1/pets>; rel="successor-version"',
    });
  });

  test('no other operation has deprecation headers', async () => {
    expect((await get('/pets')).headers.get('deprecation')).toBeNull();
  });
});
