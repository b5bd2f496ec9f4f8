// C4: pages by `for await`, one page ahead; `.collect()` takes all, `{ max }` bounds it; a server that loops is noticed.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { operations } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import type { Petstore } from '../src/index.ts';
import { pets, type Responder, respond, respondError, rex, stubbed } from './stub-server.ts';

const { cursor, key } = operations.listPets.pagination;
const cursorOf = (url = '') => Number(new URLSearchParams(url.split('?')[1]).get(cursor));

/** Lists `total` pets in pages of ten. */
const pagesOf =
  (total: number): Responder =>
  (request, response) => {
    const after = cursorOf(request.url);
    const page = Array.from({ length: Math.min(10, total - after) }, (_, i) => ({
      ...rex,
      [key]: after + i + 1,
    }));
    const link = after + 10 < total ? { link: `<?${cursor}=${after + 10}>; rel="next"` } : {};
    respond(200, page, link)(request, response);
  };

/** Lists one pet a page. `next` says which identifier the page behind an identifier has. */
const chain =
  (next: Readonly<Record<number, number>>): Responder =>
  (request, response) =>
    respond(200, [{ ...rex, id: next[cursorOf(request.url)] }], { link: '<?x>; rel="next"' })(
      request,
      response,
    );

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
  test('gives its first page when it is awaited, by one request', async () => {
    const { store, requests } = await stubbed([pagesOf(25)]);
    expect((await store.listPets()).length).toBe(10);
    expect(requests.length).toBe(1);
  });

  test('gives every element in a loop, page by page, with the same inputs and headers', async () => {
    const { store, requests } = await stubbed([pagesOf(25)]);
    const ids: number[] = [];
    for await (const { id } of store.listPets({ status: 'sold' }, { headers: { 'x-job': 'a' } }))
      ids.push(id);
    expect(ids).toEqual(upTo(25));
    expect(requests.map(({ url, headers }) => [url, headers['x-job']])).toEqual([
      ['/v1/pets?status=sold', 'a'],
      [`/v1/pets?status=sold&${cursor}=10`, 'a'],
      [`/v1/pets?status=sold&${cursor}=20`, 'a'],
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

test.each<[string, Record<number, number>, number]>([
  ['itself', { 0: 1, 1: 1 }, 3],
  ['itself, after other pages', { 0: 1, 1: 2, 2: 3, 3: 3 }, 5],
  ['an earlier page', { 0: 1, 1: 2, 2: 3, 3: 1 }, 12],
  ['an earlier page, a long way back', { 0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6, 6: 7, 7: 2 }, 24],
])('a page that leads to %s is an error, not an endless list', async (_, next, most) => {
  const { store, requests } = await stubbed([chain(next)]);
  const { error } = await readAll(store);
  const message = expect.stringMatching(/^the next page was read before: \[\{/);
  expect(error).toMatchObject({ name: 'UnexpectedResponseError', message });
  expect(requests.length).toBeLessThanOrEqual(most);
});

test('an empty page that says that more follow is an error', async () => {
  const { store } = await stubbed([respond(200, [], { link: '<?x>; rel="next"' })]);
  expect(await readAll(store)).toMatchObject({
    error: { name: 'UnexpectedResponseError', status: 200 },
  });
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
