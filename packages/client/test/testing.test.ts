import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Api } from '@petstore/types';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { connect, createPet, NotFoundError, petstore, UnauthorizedError } from '../src/index.ts';
import { fakeService } from '../src/testing/index.ts';

const fake = fakeService({ pageSize: 2 });
const { store } = fake;
const rex = { name: 'Rex', categoryId: 2, status: 'sold' } as const;

beforeEach(() => fake.reset());

test('the fake service stores pets', async () => {
  const { id } = await store.createPet(rex);
  expect(await store.getPet({ petId: id })).toEqual({ id, ...rex });
  await expect(store.getPet({ petId: 99 })).rejects.toThrow(NotFoundError);
});

test("the fetch of the fake service replaces a client's and the global one", async () => {
  await createPet(connect({ apiKey: 'k', baseUrl: 'http://127.0.0.1:8080/v1', fetch: fake.fetch }), rex);
  vi.stubGlobal('fetch', fake.fetch);
  expect(await petstore({ apiKey: 'k' }).listPets()).toMatchObject([rex]);
  vi.unstubAllGlobals();
});

test('the fake service has pages', async () => {
  for (let i = 0; i < 5; i++) await store.createPet(rex);
  expect((await store.listPets()).length).toBe(2);
  expect((await store.listPets({ status: 'sold' }).collect({ max: 10 })).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
  expect(await store.listPets({ status: 'available' }).collect({ max: 10 })).toEqual([]);
});

describe('pages', () => {
  test('are objects with the next page', async () => {
    for (let i = 0; i < 3; i++) await store.createPet(rex);
    const page = await store.listPets().page();
    expect([page.items.length, page.hasNext]).toEqual([2, true]);
    const last = await page.next();
    expect([last?.items.length, last?.hasNext, await last?.next()]).toEqual([1, false, undefined]);
  });

  test.each([0, 1, 2, 3])('are collected up to %i elements', async (max) => {
    for (let i = 0; i < 5; i++) await store.createPet(rex);
    expect((await store.listPets().collect({ max })).length).toBe(max);
    // At most one page is requested ahead.
    expect(fake.requests.filter(({ operation }) => operation === 'listPets').length).toBeLessThanOrEqual(max / 2 + 2);
  });
});

const headers = { authorization: 'Bearer k' };
test.each<[string, Parameters<typeof fake.fetch>, number]>([
  ['no key', ['http://127.0.0.1:8080/v1/pets'], 401],
  ['no such path', ['http://127.0.0.1:8080/v1/dogs', { headers }], 404],
  ['no such base path', ['http://127.0.0.1:8080/pets', {}], 404],
  ['another method', ['http://127.0.0.1:8080/v1/pets', { method: 'PUT', headers }], 405],
  ['a malformed path', ['http://127.0.0.1:8080/v1/pets/%zz', { headers }], 400],
])('a request with %s is rejected', async (_, request, status) => {
  expect((await fake.fetch(...request)).status).toBe(status);
});

test.each([
  [{ name: 'x' }, "body 'categoryId' is missing"],
  [{ name: 'x', categoryId: 'one' }, "body 'categoryId' is no integer"],
  [{ name: 'x', categoryId: 1, id: 7 }, "body 'id': there is no such property"],
  [{ name: 'x', categoryId: 1, status: 'lost' }, "body 'status' is none of available, pending, sold"],
])('the body %j is rejected', async (input, message) => {
  await expect(store.createPet(input as never)).rejects.toMatchObject({
    code: 'invalid_request',
    status: 400,
    message,
  });
});

test.each([{ limit: 0 }, { limit: 101 }, { limit: '01' }, { stauts: 'sold' }, { status: ['sold', 'pending'] }])(
  'the query %j is rejected',
  async (input) => {
    await expect(store.listPets(input as never)).rejects.toMatchObject({ status: 400 });
  },
);

test('every response has its own identifier, also the response of an error', async () => {
  const { response } = await store.listPets().withResponse();
  const error = await store.getPet({ petId: 7 }).catch((reason: NotFoundError) => reason);
  const ids = [response.headers.get('x-request-id'), (error as NotFoundError).requestId];
  expect(ids).toEqual([expect.stringMatching(/^fake-\d+$/), expect.stringMatching(/^fake-\d+$/)]);
  expect(ids[0]).not.toBe(ids[1]);
});

describe('an interruption can', () => {
  test('fail requests', async () => {
    fake.next('listPets', { status: 503, headers: { 'retry-after': '0' } }, { status: 401, message: 'Revoked.' });
    await expect(store.listPets()).rejects.toThrow(UnauthorizedError);
    expect(fake.requests.length).toBe(2);
    expect(await store.listPets()).toEqual([]);
  });

  test('lose a response: the create is retried and executed once', async () => {
    fake.next('createPet', { disconnect: 'after' }, { disconnect: 'before' });
    await store.createPet(rex);
    expect(fake.requests.length).toBe(3);
    expect(await store.listPets()).toEqual([{ id: 1, ...rex }]);
  });

  test.each([10_000, Number.POSITIVE_INFINITY])('delay a response by %d ms', async (delay) => {
    fake.next('listPets', { delay });
    await expect(store.listPets({}, { timeout: 20 })).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('replace the text of a response', async () => {
    fake.next('listPets', { text: '<html>' }, { status: 400, text: '<html>' });
    await expect(store.listPets()).rejects.toMatchObject({ name: 'UnexpectedResponseError', body: '<html>' });
    await expect(store.listPets()).rejects.toMatchObject({ name: 'InvalidRequestError', body: '<html>' });
  });

  test.each([{}, { status: 400 }])('add headers to a response: %j', async (interruption) => {
    fake.next('listPets', { ...interruption, headers: { etag: '"1"' } });
    const response = await fake.fetch('http://127.0.0.1:8080/v1/pets', { headers });
    expect(response.headers.get('etag')).toBe('"1"');
  });
});

test('handlers replace operations', async () => {
  const other = fakeService({ handlers: { listPets: async () => [{ id: 7, ...rex }] } });
  expect(await other.store.listPets()).toEqual([{ id: 7, ...rex }]);
});

test('handlers may be methods of a class', async () => {
  class Pets {
    readonly pets = [{ id: 7, ...rex }];
    async listPets() {
      return this.pets;
    }
  }
  expect(await fakeService({ handlers: new Pets() }).store.listPets()).toEqual([{ id: 7, ...rex }]);
});

test('a handler runs once for requests with one idempotency key, also at the same time, but again after an error', async () => {
  let runs = 0;
  const add: Api['createPet'] = async ({ name, categoryId }) => {
    runs++;
    await nextTurn();
    if (name === 'Tom') throw Object.assign(new Error('no'), { status: 400 });
    return { id: runs, name, categoryId };
  };
  const other = fakeService({ handlers: { createPet: add } }).store;
  const twice = [1, 2].map(() => other.createPet(rex, { idempotencyKey: 'a' }));
  expect((await Promise.all(twice)).map(({ id }) => id)).toEqual([1, 1]);
  await expect(other.createPet({ ...rex, name: 'Tom' }, { idempotencyKey: 'b' })).rejects.toMatchObject({
    status: 400,
  });
  expect(await other.createPet(rex, { idempotencyKey: 'b' })).toMatchObject({ id: 3 });
});

test('an idempotency key of another request is rejected', async () => {
  await store.createPet(rex, { idempotencyKey: 'a' });
  const { data, response } = await store.createPet(rex, { idempotencyKey: 'a' }).withResponse();
  expect([data.id, response.headers.get('idempotency-replayed')]).toEqual([1, 'true']);
  const { name, ...others } = rex;
  expect(await store.createPet({ ...others, name }, { idempotencyKey: '"a"' })).toEqual(data);
  const other = store.createPet({ ...rex, name: 'Tom' }, { idempotencyKey: 'a' });
  await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' });
});

test('an idempotency key belongs to its caller', async () => {
  const others = store.withOptions({ apiKey: 'another-key' });
  const created = [store, others, store].map((one) => one.createPet(rex, { idempotencyKey: 'a' }));
  expect((await Promise.all(created)).map(({ id }) => id)).toEqual([1, 2, 1]);
});

test('with the option apiKey, only that key is accepted', async () => {
  const { fetch, store: own } = fakeService({ apiKey: 'right' });
  expect(await own.listPets()).toEqual([]);
  await expect(petstore({ apiKey: 'wrong', fetch }).listPets()).rejects.toThrow(UnauthorizedError);
});
