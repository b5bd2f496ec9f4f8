import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { type Petstore, petstore, UnexpectedResponseError } from '../src/index.ts';
import { type Responder, respond, respondError, rex, stubbed } from './stub-server.ts';

/** Lists `total` pets in pages of ten. */
const pagesOf =
  (total: number): Responder =>
  (request, response) => {
    const query = new URLSearchParams(request.url?.split('?')[1]);
    const after = Number(query.get('after') ?? 0);
    const page = Array.from({ length: Math.min(10, total - after) }, (_, i) => ({
      id: after + i + 1,
      name: 'x',
      categoryId: 1,
    }));
    const link = page.length === 10 ? { link: `<?after=${after + 10}>; rel="next"` } : {};
    respond(200, page, link)(request, response);
  };

test('a loop over a list reaches every pet, page by page', async () => {
  const { api, requests } = await stubbed([pagesOf(25)]);
  const ids: number[] = [];
  for await (const pet of api.listPets()) ids.push(pet.id);
  expect(ids).toEqual(Array.from({ length: 25 }, (_, i) => i + 1));
  expect(requests.map(({ url }) => url)).toEqual(['/v1/pets', '/v1/pets?after=10', '/v1/pets?after=20']);
});

test('at most one page is requested ahead, and none after the loop is left', async () => {
  const { api, requests } = await stubbed([pagesOf(1000)]);
  let n = 0;
  for await (const _ of api.listPets()) if (++n === 11) break;
  // The page of the last element, and the one after it.
  const furthest = () => Math.max(...requests.map(({ url }) => Number(url.split('after=')[1] ?? 0)));
  expect(furthest()).toBeLessThanOrEqual(20);
  await api.listPets({ after: 500 });
  expect(requests.filter(({ url }) => /after=[3-9]0$/.test(url))).toEqual([]);
});

test.each([
  [5, 1],
  [10, 1],
  [11, 2],
  [20, 2],
  [30, 3],
])('collect of up to %d elements sends no request beyond the %d pages that contain them', async (max, count) => {
  const { api } = await stubbed([pagesOf(1000)]);
  const urls: string[] = [];
  const counting = api.withOptions({ on: { request: ({ url }) => void urls.push(url) } });
  expect((await counting.listPets().collect({ max })).length).toBe(max);
  expect(urls.length).toBe(count);
});

test('a loop over a list holds only the last pages in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const { api } = await stubbed([pagesOf(300)]);
  const pets: WeakRef<object>[] = [];
  for await (const pet of api.listPets()) {
    pets.push(new WeakRef(pet));
    if (pet.id !== 295) continue;
    // A new WeakRef keeps its target until this turn of the event loop ends.
    await sleep(1);
    collect();
    // The page of this pet, and those that are still in use by the request ahead.
    expect(pets.filter((one) => one.deref()).length).toBeLessThanOrEqual(30);
  }
  expect(pets.length).toBe(300);
});

test('awaiting a list is one request', async () => {
  const { api, requests } = await stubbed([pagesOf(25)]);
  expect((await api.listPets()).length).toBe(10);
  expect(requests.length).toBe(1);
});

test('a page that fails ends the list, after the pets of the pages before it', async () => {
  const { api } = await stubbed([pagesOf(25), respondError(401, 'unauthorized')]);
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

/** Lists one pet a page, with the number of the page, and links to the next page as `links` says. */
const linked =
  (links: Record<string, string>): Responder =>
  (request, response) => {
    const page = new URLSearchParams(request.url?.split('?')[1]).get('after') ?? '0';
    const link = links[page];
    respond(
      200,
      [{ id: Number(page), name: 'x', categoryId: 1 }],
      link ? { link: `<${link}>; rel="next"` } : {},
    )(request, response);
  };

test('the key is never sent to another origin', async () => {
  const { api, requests } = await stubbed([linked({ 0: 'http://elsewhere.test/v1/pets' })]);
  const { ids, error } = await readAll(api);
  expect(ids).toEqual([0]);
  expect(error).toBeInstanceOf(UnexpectedResponseError);
  expect(error).toMatchObject({
    status: 200,
    message: 'the next page is on another origin: http://elsewhere.test/v1/pets',
    attempts: 0,
  });
  expect(requests.length).toBe(1);
});

test('a malformed address of the next page is an error', async () => {
  const { api } = await stubbed([linked({ 0: 'http://[' })]);
  const { error } = await readAll(api);
  expect(error).toMatchObject({ name: 'UnexpectedResponseError', message: expect.stringContaining('http://[') });
});

test.each(['http://rex:password@pets.test/v1/pets', 'blob:http://pets.test/v1/pets'])(
  'a next page at %s, which fetch rejects, is an error',
  async (next) => {
    const transport = async () => Response.json([rex], { headers: { link: `<${next}>; rel="next"` } });
    const { error } = await readAll(petstore({ apiKey: 'k', baseUrl: 'http://pets.test/v1', transport }));
    expect(error).toMatchObject({
      name: 'UnexpectedResponseError',
      message: `the next page is on another origin: ${next}`,
    });
  },
);

test.each<[string, Record<string, string>, number]>([
  ['itself', { 0: '/v1/pets' }, 1],
  ['itself, after other pages', { 0: '?after=1', 1: '?after=2', 2: '?after=2' }, 3],
  ['an earlier page', { 0: '?after=1', 1: '?after=2', 2: '/v1/pets' }, 9],
  ['an earlier page by way of others', { 0: '?after=1', 1: '?after=2', 2: '?after=3', 3: '?after=1' }, 12],
])('a page that leads to %s is an error, not an endless list', async (_, links, max) => {
  const { api, requests } = await stubbed([linked(links)]);
  const { error } = await readAll(api);
  expect(error).toMatchObject({
    name: 'UnexpectedResponseError',
    message: expect.stringMatching(/^the next page was read before: http:/),
  });
  expect(requests.length).toBeLessThanOrEqual(max);
  await expect(api.listPets().collect({ max: 1000 })).rejects.toMatchObject({ name: 'UnexpectedResponseError' });
});

test.each([null, { items: [] }, 'pets'])('a page that is not a list (%j) is an error', async (body) => {
  const { api } = await stubbed([respond(200, JSON.stringify(body))]);
  expect(await readAll(api)).toMatchObject({ error: { name: 'UnexpectedResponseError', status: 200, body } });
});

test.each([0, 1])('collect of up to %d elements fails if the list fails', async (max) => {
  const { api } = await stubbed([respondError(401, 'unauthorized')]);
  await expect(api.listPets().collect({ max })).rejects.toMatchObject({ name: 'UnauthorizedError' });
});

test('the next page can be requested twice', async () => {
  const { api } = await stubbed([pagesOf(25)]);
  const page = await api.listPets().page();
  const [one, other] = [await page.next(), await page.next()];
  expect(one?.items).toEqual(other?.items);
  expect((await one?.next())?.items.length).toBe(5);
});

test('the address of the next page is relative to that of the current page', async () => {
  const pages: Record<string, string> = { '/v1/pets': 'pets/pages/2', '/v1/pets/pages/2': '3' };
  const { api, requests } = await stubbed([
    (request, response) => {
      const next = pages[request.url ?? ''];
      respond(200, [], next ? { link: `<${next}>; rel="next"` } : {})(request, response);
    },
  ]);
  expect(await readAll(api)).toEqual({ ids: [] });
  expect(requests.map(({ url }) => url)).toEqual(['/v1/pets', '/v1/pets/pages/2', '/v1/pets/pages/3']);
});

test.each([-1, Number.NaN, '5', undefined])('collect rejects a max of %j', async (max) => {
  // The rejection of the call itself must be handled, too.
  const { api } = await stubbed([respondError(401, 'unauthorized')]);
  await expect(api.listPets().collect({ max } as { max: number })).rejects.toThrow('max must be a number >= 0');
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
  ['<a>; title="1 <2> 3"; rel="next"', 'a'],
  ['<a>; title="x; rel=next"', undefined],
  ['<a>; title="\\"; rel=next"; rel=prev', undefined],
  ['<a>; rel="prev"; rel="next"', undefined],
  ['', undefined],
])('the next page of %s is %s', async (link, expected) => {
  const { api, requests } = await stubbed([respond(200, [], { link }), respond(200, [])]);
  await (await api.listPets().page()).next();
  expect(requests[1]?.url).toBe(expected && `/v1/${expected}`);
});

test('the error for a page that is no list shows the page, also with a large integer', async () => {
  const { api } = await stubbed([(_, response) => response.end('{"id":9223372036854775807}')]);
  const error = await api
    .listPets()
    .page()
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UnexpectedResponseError);
  expect(error).toMatchObject({ message: 'no list: {"id":9223372036854775807}' });
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ body: { id: 2 ** 63 } });
});
