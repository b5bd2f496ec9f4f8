import { expectLinear } from '@petstore/testing/linear';
import { afterEach, expect, test } from 'vitest';
import { type Options, type Petstore, petstore, UnexpectedResponseError } from '../src/index.ts';
import { nextPage } from '../src/parse-response.ts';
import { answer, type Fault, type FaultyServer, faulty, refuse } from './faults.ts';

let server: FaultyServer;
afterEach(() => server?.close());

/** A server that lists `total` pets in pages of ten. */
const shelves =
  (total: number): Fault =>
  (request, response) => {
    const query = new URLSearchParams(request.url?.split('?')[1]);
    const after = Number(query.get('after') ?? 0);
    const page = Array.from({ length: Math.min(10, total - after) }, (_, i) => ({
      id: after + i + 1,
      name: 'x',
      categoryId: 1,
    }));
    const link = page.length === 10 ? { link: `<?after=${after + 10}>; rel="next"` } : {};
    answer(200, page, link)(request, response);
  };

async function client(faults: Fault[], options: Partial<Options> = {}) {
  server = await faulty(...faults);
  return petstore({ apiKey: 'k', baseUrl: server.baseUrl, retry: { base: 1 }, ...options });
}

test('reaches every pet, page by page', async () => {
  const api = await client([shelves(25)]);
  const ids: number[] = [];
  for await (const pet of api.listPets()) ids.push(pet.id);
  expect(ids).toEqual(Array.from({ length: 25 }, (_, i) => i + 1));
  expect(server.requests.map(({ url }) => url)).toEqual(['/v1/pets', '/v1/pets?after=10', '/v1/pets?after=20']);
});

test('asks for one page ahead at most, and for none once it is left', async () => {
  const api = await client([shelves(1000)]);
  let n = 0;
  for await (const _ of api.listPets()) if (++n === 11) break;
  // The page that was being used up, and the one behind it.
  const furthest = () => Math.max(...server.requests.map(({ url }) => Number(url.split('after=')[1] ?? 0)));
  expect(furthest()).toBeLessThanOrEqual(20);
  await api.listPets({ after: 500 });
  expect(server.requests.filter(({ url }) => /after=[3-9]0$/.test(url))).toEqual([]);
});

test('one page is one request', async () => {
  const api = await client([shelves(25)]);
  expect((await api.listPets()).length).toBe(10);
  expect(server.requests.length).toBe(1);
});

test('fails where a page fails, after the pets before it', async () => {
  const api = await client([shelves(25), refuse(401, 'unauthorized')]);
  const ids: number[] = [];
  const all = async () => {
    for await (const pet of api.listPets()) ids.push(pet.id);
  };
  await expect(all()).rejects.toMatchObject({ name: 'UnauthorizedError' });
  expect(ids.length).toBe(10);
});

/** The pets of all pages, and the error that ends them. */
async function readAll(api: Petstore) {
  const ids: number[] = [];
  try {
    for await (const { id } of api.listPets()) ids.push(id);
    return { ids };
  } catch (error) {
    return { ids, error };
  }
}

/** A server whose pages have the number of their address, and link to what the list says. */
const linked =
  (links: Record<string, string>): Fault =>
  (request, response) => {
    const page = new URLSearchParams(request.url?.split('?')[1]).get('after') ?? '0';
    const link = links[page];
    answer(
      200,
      [{ id: Number(page), name: 'x', categoryId: 1 }],
      link ? { link: `<${link}>; rel="next"` } : {},
    )(request, response);
  };

test('never takes the key to another origin', async () => {
  const api = await client([linked({ 0: 'http://elsewhere.test/v1/pets' })]);
  const { ids, error } = await readAll(api);
  expect(ids).toEqual([0]);
  expect(error).toBeInstanceOf(UnexpectedResponseError);
  expect(error).toMatchObject({
    status: 200,
    message: 'the next page is on another origin: http://elsewhere.test/v1/pets',
    attempts: 0,
  });
  expect(server.requests.length).toBe(1);
});

test('a next page that is no address is an error', async () => {
  const { error } = await readAll(await client([linked({ 0: 'http://[' })]));
  expect(error).toMatchObject({ name: 'UnexpectedResponseError', message: expect.stringContaining('http://[') });
});

test.each<[string, Record<string, string>, number]>([
  ['itself', { 0: '/v1/pets' }, 1],
  ['itself, later on', { 0: '?after=1', 1: '?after=2', 2: '?after=2' }, 3],
  ['a page before it', { 0: '?after=1', 1: '?after=2', 2: '/v1/pets' }, 9],
  ['a page that leads back to it', { 0: '?after=1', 1: '?after=2', 2: '?after=3', 3: '?after=1' }, 12],
])('a page that leads to %s is an error, not an endless list', async (_, links, most) => {
  const api = await client([linked(links)]);
  const { error } = await readAll(api);
  expect(error).toMatchObject({
    name: 'UnexpectedResponseError',
    message: expect.stringMatching(/^the next page was read before: http:/),
  });
  expect(server.requests.length).toBeLessThanOrEqual(most);
  await expect(api.listPets().collect({ max: 1000 })).rejects.toMatchObject({ name: 'UnexpectedResponseError' });
});

test.each([null, { items: [] }, 'pets'])('a page that is no list (%j) is an error', async (body) => {
  const api = await client([answer(200, JSON.stringify(body))]);
  expect(await readAll(api)).toMatchObject({ error: { name: 'UnexpectedResponseError', status: 200, body } });
});

test.each([0, 1])('a list that fails ends collect with its error, also for %d elements', async (max) => {
  const api = await client([refuse(401, 'unauthorized')]);
  await expect(api.listPets().collect({ max })).rejects.toMatchObject({ name: 'UnauthorizedError' });
});

test('a page can be asked twice for the one behind it', async () => {
  const page = await (await client([shelves(25)])).listPets().page();
  const [one, other] = [await page.next(), await page.next()];
  expect(one?.items).toEqual(other?.items);
  expect((await one?.next())?.items.length).toBe(5);
});

test('the address of a next page is relative to that of its page', async () => {
  const pages: Record<string, string> = { '/v1/pets': 'pets/pages/2', '/v1/pets/pages/2': '3' };
  const api = await client([
    (request, response) => {
      const next = pages[request.url ?? ''];
      answer(200, [], next ? { link: `<${next}>; rel="next"` } : {})(request, response);
    },
  ]);
  expect(await readAll(api)).toEqual({ ids: [] });
  expect(server.requests.map(({ url }) => url)).toEqual(['/v1/pets', '/v1/pets/pages/2', '/v1/pets/pages/3']);
});

test.each([-1, Number.NaN, '5', undefined])('collect refuses a max of %j at once', async (max) => {
  // No rejection of the call itself may be left over.
  const api = await client([refuse(401, 'unauthorized')]);
  await expect(api.listPets().collect({ max } as { max: number })).rejects.toThrow('max must be a number, at least 0');
});

test.each([
  ['<a>; rel="next"', 'a'],
  ['<a>; rel=next', 'a'],
  ['<a>; rel="prev", <b>; rel="next"', 'b'],
  ['<a,b>; title="x, y"; rel="last next"', 'a,b'],
  ['<a> ; title=x ; REL = "Next"', 'a'],
  ['<a>; rel="nextish"', undefined],
  ['<a>; title="rel=next"', undefined],
  ['<a', undefined],
  ['<a>; title="next"', undefined],
  ['', undefined],
])('the next page of %s is %s', (link, expected) => {
  expect(nextPage({ status: 200, headers: new Headers({ link }), text: async () => '' })).toBe(expected);
});

test.each<[string, (length: number) => string]>([
  ['targets that never end', (n) => '<'.repeat(n)],
  ['spaces behind a relation', (n) => `<a>;rel=${' '.repeat(n)}`],
  ['relations', (n) => `<a>${';rel= '.repeat(n / 6)}`],
  ['semicolons', (n) => `<a>${';'.repeat(n)}`],
  ['spaces between parameters', (n) => `<a>;${' '.repeat(n)}x`],
])('a Link header is read in time linear in its length: %s', (_, link) => {
  expectLinear((length) => {
    const text = `${link(length)}x`;
    // Not fetch's own, which would spend its time on the text as well.
    const headers = { get: () => text } as unknown as Headers;
    return () => nextPage({ status: 200, headers, text: async () => '' });
  }, 2 ** 13);
});
