// Lists: `.pages()`, `for await` and `.collect()`. The service's link is followed, a loop is noticed.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { operations } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import { type Petstore, petstore } from '../src/index.ts';
import { pets, type Responder, respond, respondError, rex, stubbed } from './stub-server.ts';

const { cursor } = operations.listPets.pagination;
const { maximum } = operations.listPets.fields.limit.schema;
const queryOf = (url = '') => new URLSearchParams(url.split('?')[1]);
const cursorOf = (url?: string) => Number(queryOf(url).get(cursor));

/** Lists `total` pets in pages of ten, or fewer if the request says so. The link repeats the query. */
const pagesOf =
  (total: number): Responder =>
  (request, response) => {
    const query = queryOf(request.url);
    const after = cursorOf(request.url);
    const size = Math.min(10, Number(query.get('limit') ?? 10));
    const length = Math.min(size, total - after);
    const page = Array.from({ length }, (_, index) => ({ ...rex, id: after + index + 1 }));
    query.set(cursor, String(after + size));
    const link = after + size < total ? { link: `<?${query}>; rel="next"` } : {};
    respond(200, page, link)(request, response);
  };

/** Lists a pet with the number of the page, and leads to the page that `next` has for it. */
const chain =
  (next: Readonly<Record<number, number>>): Responder =>
  (request, response) => {
    const id = cursorOf(request.url);
    respond(200, [{ ...rex, id }], { link: `<?${cursor}=${next[id]}>; rel="next"` })(
      request,
      response,
    );
  };

/** The identifiers of all pages, and the error that ends them. */
async function readAll(store: Petstore) {
  const ids: number[] = [];
  try {
    for await (const { id } of store.listPets()) ids.push(id);
    return { ids };
  } catch (error) {
    return { ids, error };
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

describe('a list', () => {
  test('returns its first page when it is awaited, and sends one request', async () => {
    const { store, requests } = await stubbed([pagesOf(25)]);
    expect((await store.listPets()).length).toBe(10);
    expect(requests.length).toBe(1);
  });

  test('yields every element in a loop, and requests each page with the same inputs and headers', async () => {
    const { store, requests } = await stubbed([pagesOf(25)]);
    const ids: number[] = [];
    for await (const { id } of store.listPets({ status: 'sold' }, { headers: { 'x-job': 'a' } }))
      ids.push(id);
    expect(ids).toEqual(upTo(25));
    expect(requests.map(({ url, headers }) => [url, headers['x-job']])).toEqual([
      [`/v1/pets?status=sold&limit=${maximum}`, 'a'],
      [`/v1/pets?status=sold&limit=${maximum}&${cursor}=10`, 'a'],
      [`/v1/pets?status=sold&limit=${maximum}&${cursor}=20`, 'a'],
    ]);
  });

  test('requests one page ahead, and none after the loop is left', async () => {
    const { store, requests } = await stubbed([pagesOf(1000)]);
    let n = 0;
    for await (const _ of store.listPets()) if (++n === 11) break;
    await store.listPets({ [cursor]: 500 });
    // The page of the last element, and the one behind it.
    expect(
      Math.max(...requests.map(({ url }) => cursorOf(url)).filter((after) => after < 500)),
    ).toBeLessThanOrEqual(20);
  });

  test('may be read twice, and each time from the beginning', async () => {
    const { store } = await stubbed([pagesOf(15)]);
    const list = store.listPets();
    expect([
      (await list.collect()).length,
      (await list.collect()).length,
      (await list).length,
    ]).toEqual([15, 15, 10]);
  });

  test('holds only the last pages in memory', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const { store } = await stubbed([pagesOf(300)]);
    const all: WeakRef<object>[] = [];
    for await (const pet of store.listPets()) {
      all.push(new WeakRef(pet));
      if (pet.id !== 295) continue;
      // A WeakRef keeps its target until this turn of the event loop ends.
      await nextTurn();
      collect();
      // The page of this pet, the first page, and one that a request may still use.
      expect(all.filter((one) => one.deref()).length).toBeLessThanOrEqual(30);
    }
    expect(all.length).toBe(300);
  });

  test('ends with the error of a page, after the elements before it', async () => {
    const { store } = await stubbed([pagesOf(25), respondError(401, 'unauthorized')]);
    expect(await readAll(store)).toMatchObject({
      ids: upTo(10),
      error: { name: 'UnauthorizedError' },
    });
  });

  test('can be aborted between its pages', async () => {
    const controller = new AbortController();
    const { store } = await stubbed([pagesOf(1000)]);
    const read = async () => {
      for await (const { id } of store.listPets({}, { signal: controller.signal }))
        if (id === 35) controller.abort('enough');
    };
    await expect(read()).rejects.toMatchObject({ name: 'AbortedError', cause: 'enough' });
  });

  test('has a deadline for each of its pages', async () => {
    const { store } = await stubbed([pagesOf(25), () => {}], { timeout: 1_000 });
    expect(await readAll(store)).toMatchObject({ ids: upTo(10), error: { name: 'TimeoutError' } });
  });
});

describe('collect', () => {
  test('takes all', async () => {
    const { store } = await stubbed([pagesOf(25)]);
    expect((await store.listPets().collect()).map(({ id }) => id)).toEqual(upTo(25));
  });

  test.each([
    [0, 1],
    [5, 1],
    [10, 1],
    [11, 2],
    [30, 3],
  ])(
    'of up to %d elements requests no more than the %d pages that have them',
    async (max, count) => {
      const { store, requests } = await stubbed([pagesOf(1000)]);
      expect((await store.listPets().collect({ max })).map(({ id }) => id)).toEqual(upTo(max));
      expect(requests.length).toBe(count);
    },
  );

  test.each([-1, Number.NaN, '5'])('refuses a max of %j', async (max) => {
    const { store } = await stubbed([respondError(401, 'unauthorized')]);
    await expect(store.listPets().collect({ max } as never)).rejects.toThrow(
      'option max must be a number >= 0',
    );
  });

  test.each([0, 1])('of up to %d elements fails if the list fails', async (max) => {
    const { store } = await stubbed([respondError(401, 'unauthorized')]);
    await expect(store.listPets().collect({ max })).rejects.toMatchObject({
      name: 'UnauthorizedError',
    });
  });
});

describe('the pages', () => {
  test('have their data, their response, and whether more follow', async () => {
    const { store, requests } = await stubbed([pagesOf(25)]);
    const found: unknown[] = [];
    for await (const { data, response, hasMore } of store.listPets({ status: 'sold' }).pages())
      found.push([data.length, response.status, hasMore]);
    expect(found).toEqual([
      [10, 200, true],
      [10, 200, true],
      [5, 200, false],
    ]);
    expect(requests[0]?.url).toBe('/v1/pets?status=sold');
  });

  test.each([
    [5, [[5, true]], 1],
    [10, [[10, true]], 1],
    [
      12,
      [
        [10, true],
        [2, true],
      ],
      2,
    ],
    [
      25,
      [
        [10, true],
        [10, true],
        [5, false],
      ],
      3,
    ],
    [
      99,
      [
        [10, true],
        [10, true],
        [5, false],
      ],
      3,
    ],
  ] as const)('with up to %d elements are %j, by %d requests', async (max, pages, count) => {
    const { store, requests } = await stubbed([pagesOf(25)]);
    const found: unknown[] = [];
    for await (const { data, hasMore } of store.listPets().pages({ max }))
      found.push([data.length, hasMore]);
    expect(found).toEqual(pages);
    expect(requests.length).toBe(count);
  });

  test('are requested one page ahead', async () => {
    const { store, requests } = await stubbed([pagesOf(1000)]);
    for await (const { hasMore } of store.listPets().pages()) {
      expect(hasMore).toBe(true);
      await expect.poll(() => requests.length).toBe(2);
      break;
    }
  });

  test('say with the first response, too, whether more follow', async () => {
    const { store } = await stubbed([pagesOf(11), pagesOf(10)]);
    expect(await store.listPets().withResponse()).toMatchObject({ hasMore: true });
    expect(await store.listPets().withResponse()).toMatchObject({ hasMore: false });
  });

  test.each([-1, Number.NaN])('with a max of %d reject', async (max) => {
    const { store } = await stubbed();
    const pages = store.listPets().pages({ max });
    await expect(pages.next()).rejects.toThrow('option max must be a number >= 0');
  });
});

describe('the size of a page', () => {
  test.each([
    ['is the largest if all are collected', {}, {}, maximum],
    ['is the number of elements that are wanted', {}, { max: 7 }, 7],
    ['is a whole number', {}, { max: 2.5 }, 3],
    ['is not larger than the spec allows', {}, { max: 1_000 }, maximum],
    ['is that of the caller', { limit: 3 }, { max: 7 }, 3],
  ])('%s', async (_, input, options, limit) => {
    const { store, requests } = await stubbed();
    await store.listPets(input).collect(options);
    expect(requests[0]?.url).toBe(`/v1/pets?limit=${limit}`);
  });

  test('is chosen by the service if only the first page is wanted', async () => {
    const { store, requests } = await stubbed();
    await store.listPets();
    expect(requests[0]?.url).toBe('/v1/pets');
  });

  test('makes one request for as many elements as a page can have', async () => {
    const { store, requests } = await stubbed([respond(200, Array(maximum).fill(rex))]);
    expect((await store.listPets().collect({ max: maximum })).length).toBe(maximum);
    expect(requests.length).toBe(1);
  });
});

test('the next page is the one that the service links to, whatever its address', async () => {
  const { store, requests } = await stubbed([
    respond(200, [rex], { link: '</v1/pets/second?token=a%20b>; rel="next"' }),
    respond(200, [], { link: '<third>; rel="next"' }),
    pets,
  ]);
  expect(await store.listPets({ status: 'sold' }).collect()).toEqual([rex, rex]);
  expect(requests.map(({ url }) => url).slice(1)).toEqual([
    '/v1/pets/second?token=a%20b',
    '/v1/pets/third',
  ]);
});

describe('a page whose headers a browser hides', () => {
  /** A response of another origin, as a browser gives it without `Access-Control-Expose-Headers`. */
  const hidden = (headers?: Record<string, string>) =>
    Object.defineProperty(Response.json([rex], headers && { headers }), 'type', { value: 'cors' });
  const storeWith = (headers?: Record<string, string>) =>
    petstore({
      baseUrl: 'http://pets.test/v1',
      apiKey: 'k',
      fetch: async () => hidden(headers),
    });

  test('is an error where more elements may be missing', async () => {
    const message = expect.stringContaining(
      'another page may follow: CORS must expose Link and X-Request-Id',
    );
    const expected = { name: 'UnexpectedResponseError', status: 200, message };
    await expect(storeWith().listPets().collect()).rejects.toMatchObject(expected);
    await expect(storeWith().listPets().pages().next()).rejects.toMatchObject(expected);
    await expect(readAll(storeWith())).resolves.toMatchObject({ ids: [], error: expected });
  });

  test('is a page like any other where only that page is wanted', async () => {
    expect(await storeWith().listPets()).toEqual([rex]);
  });

  test('is not taken for the last page, which has the identifier of its request', async () => {
    expect(await storeWith({ 'x-request-id': 'r-1' }).listPets().collect()).toEqual([rex]);
  });
});

test.each<[string, Record<number, number>, number]>([
  ['itself', { 0: 1, 1: 1 }, 3],
  ['itself, after other pages', { 0: 1, 1: 2, 2: 3, 3: 3 }, 5],
  ['an earlier page', { 0: 1, 1: 2, 2: 3, 3: 1 }, 12],
  ['an earlier page, a long way back', { 0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6, 6: 7, 7: 2 }, 24],
])('a page that leads to %s is an error, not an endless list', async (_, next, most) => {
  const { store, requests } = await stubbed([chain(next)]);
  const { error } = await readAll(store);
  const message = expect.stringContaining('the next page was read before: [{');
  expect(error).toMatchObject({ name: 'UnexpectedResponseError', message });
  expect(requests.length).toBeLessThanOrEqual(most);
});

test.each([
  ['<a>; rel="next"', true],
  ['<a>; rel=next', true],
  ['<a>; rel="prev", <b>; rel="next"', true],
  ['<a,b>; title="x, y"; rel="last next"', true],
  ['<a> ; title=x ; REL = "Next"', true],
  ['<a>; rel="nextish"', false],
  ['<a>; rel="prev"; title="next"', false],
  ['<a>; rel="successor-version"', false],
  ['', false],
])('a page with the link %s has a next one: %s', async (link, hasNext) => {
  const { store, requests } = await stubbed([respond(200, [rex], { link }), pets]);
  await store.listPets().collect();
  expect(requests.length).toBe(hasNext ? 2 : 1);
});
