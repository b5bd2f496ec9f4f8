// Back-off with `Retry-After`. A write has one idempotency key for all its attempts, so it is
// retried, too.
import { describe, expect, test } from 'vitest';
import { AbortedError, ConnectionError, type Options } from '../src/index.ts';
import {
  dropBefore,
  dropIn,
  newPet,
  pets,
  type Responder,
  respond,
  respondError,
  rex,
  stubbed,
} from './stub-server.ts';

const keysOf = (requests: readonly { headers: Record<string, unknown> }[]) =>
  requests.map(({ headers }) => headers['idempotency-key']);

describe('a list', () => {
  test.each<[string, Responder[], number]>([
    ['a connection that breaks before the response', [dropBefore, pets], 2],
    ['a connection that breaks in the response', [dropIn, pets], 2],
    ['503 twice', [respondError(503, 'unavailable'), respondError(503, 'unavailable'), pets], 3],
    ['500', [respondError(500, 'internal_error'), pets], 2],
    [
      "a proxy's 502",
      [respond(502, '<h1>Bad Gateway</h1>', { 'content-type': 'text/html' }), pets],
      2,
    ],
    ['408', [respondError(408, 'invalid_request'), pets], 2],
    ['429 with seconds', [respondError(429, 'rate_limited', { 'retry-after': '0' }), pets], 2],
    [
      '429 with a date',
      [respondError(429, 'rate_limited', { 'retry-after': new Date(0).toUTCString() }), pets],
      2,
    ],
    ['429 with nonsense', [respondError(429, 'rate_limited', { 'retry-after': 'soon' }), pets], 2],
  ])('survives %s', async (_, responders, count) => {
    const { store, requests } = await stubbed(responders);
    expect(await store.listPets()).toEqual([rex]);
    expect(requests.length).toBe(count);
  });

  test.each([
    [400, 'invalid_request'],
    [401, 'unauthorized'],
    [404, 'not_found'],
    [501, 'internal_error'],
  ])('is not retried after %d', async (status, code) => {
    const { store, requests } = await stubbed([respondError(status, code)]);
    await expect(store.listPets()).rejects.toMatchObject({ status, code, attempts: 1 });
    expect(requests.length).toBe(1);
  });

  test.each([
    ['every connection breaks', dropBefore, 'ConnectionError'],
    ['every response breaks off', dropIn, 'ConnectionError'],
    ['the service keeps failing', respondError(503, 'unavailable'), 'ServerError'],
    ['the key exceeds its rate limit', respondError(429, 'rate_limited'), 'RateLimitedError'],
  ])('fails in the end when %s', async (_, responder, name) => {
    const { store, requests } = await stubbed([responder]);
    await expect(store.listPets()).rejects.toMatchObject({ name, attempts: 3 });
    expect(requests.length).toBe(3);
  });

  test('is retried as often as the option says', async () => {
    const { store, requests } = await stubbed([dropBefore]);
    await store.listPets({}, { retry: 0 }).outcome();
    expect(requests.length).toBe(1);
    await store.listPets({}, { retry: { limit: 4 } }).outcome();
    expect(requests.length).toBe(1 + 5);
  });

  test.each<[string, Options]>([
    ['the deadline', { timeout: 5_000, retry: { cap: 60_000 } }],
    ['the cap', { timeout: 60_000, retry: { cap: 5_000 } }],
  ])('fails at once when the service asks for a wait beyond %s', async (_, options) => {
    const { store, requests } = await stubbed(
      [respondError(429, 'rate_limited', { 'retry-after': '10' })],
      options,
    );
    await expect(store.listPets()).rejects.toMatchObject({ name: 'RateLimitedError', attempts: 1 });
    expect(requests.length).toBe(1);
  });

  test('waits up to the base, then up to twice as long, and never longer than the cap', async () => {
    const delays: number[] = [];
    const retry = ({ delay }: { delay: number }) => {
      delays.push(delay);
    };
    const { store } = await stubbed([dropBefore], {
      retry: { limit: 5, base: 4, cap: 6 },
      on: { retry },
    });
    await store.listPets().outcome();
    const bounds = [4, 6, 6, 6, 6];
    expect(delays.filter((delay, i) => delay >= 0 && delay <= (bounds[i] ?? 0)).length).toBe(5);
    expect(new Set(delays).size).toBeGreaterThan(1);
  });

  test('can be aborted while it waits for a retry', async () => {
    const controller = new AbortController();
    const { store, requests } = await stubbed(
      [respondError(503, 'unavailable', { 'retry-after': '10' })],
      {
        retry: { cap: 20_000 },
        on: { retry: () => controller.abort('enough') },
      },
    );
    const error = await store
      .listPets({}, { signal: controller.signal })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ cause: 'enough', attempts: 1 });
    expect(requests.length).toBe(1);
  });
});

describe('a create', () => {
  test.each<[string, Responder]>([
    ['the connection breaks before the response', dropBefore],
    ['the connection breaks in the response', dropIn],
    ['a proxy responds with 502', respond(502, '<h1>Bad Gateway</h1>')],
    ['the service responds with 500', respondError(500, 'internal_error')],
    ['the service is unavailable', respondError(503, 'unavailable', { 'retry-after': '0' })],
    ['an earlier attempt is still running', respondError(409, 'request_in_flight')],
  ])('is retried with the same idempotency key when %s', async (_, responder) => {
    const { store, requests } = await stubbed([responder, respond(201, rex)]);
    expect(await store.createPet(newPet)).toEqual(rex);
    await store.createPet(newPet);
    const [first, second, other] = keysOf(requests);
    expect(first).toMatch(/^[!-~]{20,255}$/);
    expect([second === first, other === first]).toEqual([true, false]);
    expect(requests.map(({ body }) => JSON.parse(body))).toEqual([newPet, newPet, newPet]);
  });

  test.each([
    [409, 'invalid_request'],
    [422, 'idempotency_key_reused'],
  ])('is not retried after %d %s', async (status, code) => {
    const { store, requests } = await stubbed([respondError(status, code)]);
    await expect(store.createPet(newPet)).rejects.toMatchObject({
      name: 'InvalidRequestError',
      code,
    });
    expect(requests.length).toBe(1);
  });

  test.each([{ idempotencyKey: 'order-17' }, { headers: { 'Idempotency-Key': 'order-17' } }])(
    'is sent with the idempotency key of the caller: %o',
    async (options) => {
      const { store, requests } = await stubbed([dropBefore, respond(201, rex)]);
      await store.createPet(newPet, options);
      expect(keysOf(requests)).toEqual(['order-17', 'order-17']);
    },
  );

  test('is retried when no connection was made', async () => {
    const attempts: number[] = [];
    const { store, close, baseUrl } = await stubbed([], {
      on: { retry: ({ attempt }) => attempts.push(attempt) },
    });
    await close();
    const error = await store.createPet(newPet).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(String(error)).toContain(`connection to ${baseUrl} failed (connect ECONNREFUSED`);
    expect(attempts).toEqual([1, 2]);
  });
});
