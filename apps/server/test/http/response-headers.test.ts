import { apiKey } from '@petstore/testing/server';
import { type Field, type Operation, operations } from '@petstore/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { allCollections } from '../../src/collections.ts';
import { handlers } from '../../src/handlers.ts';
import { nextLink } from '../../src/http/next-link.ts';
import { parseParameters } from '../../src/http/parameters.ts';
import { contentOf, pageContent } from '../../src/http/response-content.ts';
import { parseTarget } from '../../src/http/target-cache.ts';
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

test('a text response has a concrete type, also if its media type is a range', () => {
  const response = { description: '', kind: 'text', mediaType: 'text/*; charset=utf-8' } as const;
  expect(contentOf(response, 'pet')).toMatchObject({ text: 'pet', type: 'text/plain; charset=utf-8' });
});

test('a page of plain data ends with the element that reaches 1 MiB', () => {
  const elements = Array.from({ length: 9 }, (_, i) => ({ id: i + 1, name: 'é'.repeat(200_000) }));
  const { content, count, last } = pageContent(elements, 'id');
  expect([count, last, JSON.parse(content.text)]).toEqual([3, 3, elements.slice(0, 3)]);
  expect(content.bytes).toBe(Buffer.byteLength(content.text));
});

test.each<[string, Pick<Field, 'schema' | 'contentType'>, string]>([
  ['a list with an escaped name', { schema: { type: 'array', items: { type: 'string' } } }, 'a%2Bb=1&a%2Bb=2'],
  ['a list with a bracket', { schema: { type: 'array', items: { type: 'string' } } }, 'a%2Bb=1%3E&a%2Bb=2'],
  ['an object with free names', { schema: { type: 'object', additionalProperties: { type: 'string' } } }, 'x=1&y=2'],
  ['a text as JSON', { schema: { type: 'string' }, contentType: 'application/json' }, 'a%2Bb=%22x%22'],
])('the next page has the same query: %s', (_, field, query) => {
  const operation: Operation = {
    ...operations.listPets,
    fields: {
      'a+b': { in: 'query', required: false, description: '', ...field },
      after: operations.listPets.fields.after,
    },
  };
  const target = parseTarget(`/v1/pets?${query.replaceAll('%3E', '>')}&after=3`);
  const { query: input } = parseParameters(operation, target, {});
  expect(nextLink({ target }, operation, input, { more: true, last: 7 })).toEqual([
    'Link',
    `<?after=7&${query}>; rel="next"`,
  ]);
});
