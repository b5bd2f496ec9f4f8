// `@petstore/client/testing`, a small fake to answer calls in the tests of an importing team.
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { NotFoundError, petstore, RateLimitedError } from '../src/index.ts';
import { fakePetstore } from '../src/testing.ts';

const fake = fakePetstore({ pageSize: 2 });
const store = fake.store.withOptions({ on: { deprecated: false } });
const rex = { name: 'Rex', categoryId: 2, status: 'sold' } as const;

beforeEach(() => fake.reset());
afterEach(() => vi.unstubAllGlobals());

describe('the memory', () => {
  test('creates, gets and lists', async () => {
    const { id } = await store.createPet({ ...rex, categoryId: 2n ** 60n });
    expect(await store.getPet({ petId: id })).toEqual({ id, ...rex, categoryId: 2n ** 60n });
    expect(await store.listPets()).toEqual([{ id, ...rex, categoryId: 2n ** 60n }]);
    await expect(store.getPet({ petId: 99 })).rejects.toThrow(NotFoundError);
  });

  test('has pages and filters', async () => {
    for (let i = 0; i < 5; i++) await store.createPet(rex);
    await store.createPet({ name: 'Tom', categoryId: 1 });
    expect((await store.listPets()).length).toBe(2);
    expect((await store.listPets({ limit: 1 })).length).toBe(1);
    expect((await store.listPets().collect()).length).toBe(6);
    expect((await store.listPets({ status: 'sold' }).collect()).map(({ id }) => id)).toEqual([
      1, 2, 3, 4, 5,
    ]);
    expect(await store.listPets({ status: 'available' }).collect()).toEqual([]);
  });

  test('refuses an idempotency key of another create, as the service does', async () => {
    const options = { idempotencyKey: 'line-7' };
    expect(await store.createPet(rex, options)).toEqual({ id: 1, ...rex });
    const { status, ...others } = rex;
    expect(await store.createPet({ status, ...others }, options)).toEqual({ id: 1, ...rex });
    await expect(store.createPet({ ...rex, name: 'Tom' }, options)).rejects.toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    });
    expect(await store.listPets()).toEqual([{ id: 1, ...rex }]);
  });

  test('forgets everything at a reset', async () => {
    fake.next('listPets', { status: 401 });
    await store.createPet(rex);
    fake.reset();
    expect([await store.listPets(), fake.requests.length]).toEqual([[], 1]);
    expect(await store.createPet(rex)).toEqual({ id: 1, ...rex });
  });

  test('is not shared with another fake', async () => {
    await store.createPet(rex);
    expect(await fakePetstore().store.listPets()).toEqual([]);
  });
});

describe('an answer', () => {
  test('can be an error of the service, with its own code', async () => {
    fake.next(
      'listPets',
      { status: 429, headers: { 'retry-after': '60' } },
      { status: 422, code: 'invalid_request' },
    );
    await expect(store.listPets()).rejects.toThrow(RateLimitedError);
    await expect(store.listPets()).rejects.toMatchObject({ status: 422, code: 'invalid_request' });
    fake.next('listPets', { status: 401, message: 'The key was revoked.' });
    await expect(store.listPets()).rejects.toMatchObject({
      code: 'unauthorized',
      message: 'The key was revoked.',
    });
  });

  test('gets its status from its code, and has then no effect', async () => {
    fake.next('createPet', { code: 'payload_too_large' });
    await expect(store.createPet(rex)).rejects.toMatchObject({
      status: 413,
      code: 'payload_too_large',
    });
    expect(await store.listPets()).toEqual([]);
  });

  test('can have no body, and is not retried then', async () => {
    fake.next('listPets', { status: 204 });
    await expect(store.listPets()).rejects.toMatchObject({
      name: 'UnexpectedResponseError',
      status: 204,
      attempts: 1,
    });
  });

  test('does not come after an abort', async () => {
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(fake.fetch('http://fake.test/v1/pets', { signal })).rejects.toThrow('stop');
    expect(fake.requests).toEqual([]);
  });

  test('is retried by the client like an answer of the service', async () => {
    fake.next('listPets', { status: 503 }, { disconnect: 'before' });
    expect(await store.listPets()).toEqual([]);
    expect(fake.requests.map(({ operation }) => operation)).toEqual([
      'listPets',
      'listPets',
      'listPets',
    ]);
  });

  test('can be lost: the create is repeated with the same idempotency key, and has one effect', async () => {
    fake.next('createPet', { disconnect: 'after' }, { disconnect: 'before' });
    await store.createPet(rex);
    expect(fake.requests.map(({ body }) => body)).toEqual([rex, rex, rex]);
    expect(await store.listPets()).toEqual([{ id: 1, ...rex }]);
  });

  test('can be any body, or a text that is no JSON', async () => {
    fake.next(
      'listPets',
      { body: [{ id: 7, ...rex }] },
      { body: '<html>' },
      { status: 400, body: '<html>' },
    );
    expect(await store.listPets()).toEqual([{ id: 7, ...rex }]);
    await expect(store.listPets()).rejects.toMatchObject({
      name: 'UnexpectedResponseError',
      body: '<html>',
    });
    await expect(store.listPets()).rejects.toMatchObject({
      name: 'InvalidRequestError',
      body: '<html>',
    });
  });

  test('can add headers to the usual response', async () => {
    await store.createPet(rex);
    fake.next('listPets', { headers: { etag: '"1"' } });
    const { data, response } = await store.listPets().withResponse();
    expect([data.length, response.headers.get('etag')]).toEqual([1, '"1"']);
  });

  test.each([10_000, Infinity])('can come %d ms later', async (delay) => {
    fake.next('listPets', { delay });
    await expect(store.listPets({}, { timeout: 20 })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });

  test('needs no timer, so that tests with timers of their own do not hang', async () => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    await store.createPet(rex);
    fake.next('listPets', { status: 503 }, { disconnect: 'before' });
    expect((await store.listPets().collect()).length).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('can have a delay, which uses the timers of the test', async () => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    fake.next('listPets', { delay: 10_000 });
    const call = store.listPets();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await call).toEqual([]);
  });

  test('cannot be set for an unknown operation: the error names a similar operation', () => {
    const wrong = () => fake.next('getPets' as never, { status: 503 });
    expect(wrong).toThrow(new TypeError('there is no operation getPets. Did you mean getPet?'));
  });
});

test('its fetch replaces that of a client, and the global one', async () => {
  vi.stubGlobal('fetch', fake.fetch);
  await petstore({ apiKey: 'k' }).createPet(rex);
  expect(await petstore({ apiKey: 'k', fetch: fake.fetch }).listPets()).toMatchObject([rex]);
  expect(fake.requests[1]).toMatchObject({ operation: 'listPets', method: 'GET', body: null });
  expect(fake.requests[1]?.headers.get('authorization')).toBe('Bearer k');
});

test('a request that matches no operation gets 404', async () => {
  expect((await fake.fetch('http://127.0.0.1:8080/v1/dogs')).status).toBe(404);
  expect((await fake.fetch('http://127.0.0.1:8080/pets')).status).toBe(404);
});
