import { describe, expect, test } from 'vitest';
import {
  AbortedError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  type Options,
  RateLimitedError,
  ServerError,
  TimeoutError,
  UnauthorizedError,
  UnexpectedResponseError,
} from '../src/index.ts';
import {
  dropAfter,
  dropBefore,
  dropIn,
  endlessBody,
  noHeaders,
  pets,
  type Responder,
  respond,
  respondError,
  rex,
  stubbed,
} from './stub-server.ts';

const errorOf = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    (data) => ({ succeeded: data }),
    (error: unknown) => error,
  );

describe('a list', () => {
  test.each<[string, Responder[], number]>([
    ['a connection that drops before the response', [dropBefore, pets], 2],
    ['a connection that drops in the response', [dropIn, pets], 2],
    ['503 twice', [respondError(503, 'unavailable'), respondError(503, 'unavailable'), pets], 3],
    ['500', [respondError(500, 'internal_error'), pets], 2],
    ["a proxy's 502", [respond(502, '<h1>Bad Gateway</h1>', { 'content-type': 'text/html' }), pets], 2],
    ['408', [respondError(408, 'invalid_request'), pets], 2],
    ['429 with seconds', [respondError(429, 'rate_limited', { 'retry-after': '0' }), pets], 2],
    ['429 with a date', [respondError(429, 'rate_limited', { 'retry-after': new Date(0).toUTCString() }), pets], 2],
  ])('survives %s', async (_, responders, count) => {
    const { api, requests } = await stubbed(responders);
    expect(await api.listPets()).toEqual([rex]);
    expect(requests.length).toBe(count);
  });

  test('survives a connection that drops after the response', async () => {
    const { api, requests } = await stubbed([dropAfter]);
    expect(await api.listPets()).toEqual([]);
    expect(requests.length).toBe(1);
  });

  test.each<[string, Responder, number, new (...args: never[]) => Error, object]>([
    ['every connection drops', dropBefore, 3, ConnectionError, {}],
    ['every response breaks off', dropIn, 3, ConnectionError, { message: 'the response could not be read' }],
    [
      'the service keeps failing',
      respondError(503, 'unavailable'),
      3,
      ServerError,
      { status: 503, code: 'unavailable' },
    ],
    ['the key exceeds its rate limit', respondError(429, 'rate_limited'), 3, RateLimitedError, { status: 429 }],
    [
      'the key is wrong',
      respondError(401, 'unauthorized'),
      1,
      UnauthorizedError,
      { status: 401, message: 'it is unauthorized' },
    ],
    [
      'the input is invalid',
      respondError(400, 'invalid_request'),
      1,
      InvalidRequestError,
      { status: 400, code: 'invalid_request' },
    ],
    ['there is no such pet', respondError(404, 'not_found'), 1, NotFoundError, { status: 404 }],
    [
      'a proxy responds with HTML',
      respond(403, '<h1>No</h1>'),
      1,
      InvalidRequestError,
      { status: 403, code: undefined, message: '403: <h1>No</h1>' },
    ],
    ['an error has no body', respond(418, ''), 1, InvalidRequestError, { status: 418, message: '418: no body' }],
    ['an error is truncated', respond(404, '{"code":"not_f'), 1, NotFoundError, { status: 404, code: undefined }],
    ['a redirect leads nowhere', respond(304, ''), 1, UnexpectedResponseError, { status: 304 }],
    [
      'a success is HTML',
      respond(200, '<p>hello</p>', { 'content-type': 'text/html' }),
      1,
      UnexpectedResponseError,
      { status: 200, message: expect.stringContaining('<p>hello</p>') },
    ],
    [
      'a success is truncated',
      respond(200, '[{"id":'),
      1,
      UnexpectedResponseError,
      { status: 200, message: expect.stringContaining('invalid JSON') },
    ],
    ['a success is empty', respond(200, ''), 1, UnexpectedResponseError, { status: 200 }],
    [
      'a number was rounded',
      respond(200, '[{"id":9007199254740993.5}]'),
      1,
      UnexpectedResponseError,
      { status: 200, message: expect.stringContaining('inexact number') },
    ],
    [
      'an error has a code with digits of another status',
      respondError(400, 'E4080'),
      1,
      InvalidRequestError,
      { status: 400, code: 'E4080' },
    ],
  ])('fails with the right error when %s', async (_, responder, count, Class, properties) => {
    const { api, requests } = await stubbed([responder]);
    const error = await errorOf(api.listPets());
    expect(error).toBeInstanceOf(Class);
    expect(error).toMatchObject({ ...properties, name: Class.name, stack: expect.stringContaining('Error') });
    expect(requests.length).toBe(count);
  });

  test.each([
    ['headers', noHeaders],
    ['the rest of a body', endlessBody],
  ])('ends with the timeout when %s do not arrive', async (_, responder) => {
    const { api, requests } = await stubbed([responder], { timeout: 100 });
    expect(await errorOf(api.listPets())).toBeInstanceOf(TimeoutError);
    // On a busy machine not even the first request may have arrived.
    expect(requests.length).toBeLessThan(2);
  });

  test.each<[string, Partial<Options>]>([
    ['the deadline', { timeout: 5_000, retry: { cap: 60_000 } }],
    ['the cap', { timeout: 60_000, retry: { cap: 5_000 } }],
  ])('fails at once when the service asks for a wait beyond %s', async (_, options) => {
    const { api, requests } = await stubbed([respondError(429, 'rate_limited', { 'retry-after': '10' })], options);
    expect(await errorOf(api.listPets())).toMatchObject({ name: 'RateLimitedError', attempts: 1 });
    expect(requests.length).toBe(1);
  });

  const abortedIn: [string, number, (abort: () => void) => Responder][] = [
    [
      'before it begins',
      0,
      (abort) => {
        abort();
        return pets;
      },
    ],
    [
      'while the response arrives',
      1,
      (abort) => (request, response) => {
        endlessBody(request, response);
        abort();
      },
    ],
    ['while it waits for a retry', 1, () => respondError(503, 'unavailable', { 'retry-after': '10' })],
  ];
  test.each(abortedIn)('can be aborted %s', async (_, count, responderThat) => {
    const controller = new AbortController();
    const abort = () => controller.abort('enough');
    const { api, requests } = await stubbed([responderThat(abort)], {
      retry: { limit: 2, cap: 20_000 },
      on: { retry: abort },
    });
    expect(await errorOf(api.listPets({}, { signal: controller.signal }))).toBeInstanceOf(AbortedError);
    expect(requests.length).toBe(count);
  });

  test('is retried as often as the option allows', async () => {
    const { api, requests } = await stubbed([dropBefore]);
    await errorOf(api.listPets({}, { retry: 0 }));
    expect(requests.length).toBe(1);
    await errorOf(api.listPets({}, { retry: 4 }));
    expect(requests.length).toBe(1 + 5);
  });
});

describe('a create', () => {
  const input = { name: 'Rex', categoryId: 2 };

  test.each<[string, Responder]>([
    ['the connection drops before the response', dropBefore],
    ['the connection drops in the response', dropIn],
    ['a proxy responds with 502', respond(502, '<h1>Bad Gateway</h1>')],
    ['a proxy responds with 503', respond(503, 'down')],
    ['the service responds with 500', respondError(500, 'internal_error')],
    ['an earlier attempt is in progress', respondError(409, 'request_in_flight')],
  ])('is retried with the same idempotency key when %s', async (_, responder) => {
    const { api, requests } = await stubbed([responder, respond(201, rex)]);
    expect(await api.createPet(input)).toEqual(rex);
    await api.createPet(input);
    const [first, second, other] = requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[!-~]{20,255}$/);
    expect([second === first, other === first]).toEqual([true, false]);
  });

  test.each([
    { idempotencyKey: 'order-17' },
    { headers: { 'Idempotency-Key': 'order-17' } },
    { idempotencyKey: 'order-17', headers: { 'idempotency-key': 'order-18' } },
  ])('is sent with the idempotency key of the caller: %o', async (options) => {
    const { api, requests } = await stubbed([dropBefore, respond(201, rex)]);
    await api.createPet(input, options);
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['order-17', 'order-17']);
  });

  test.each([
    respondError(429, 'rate_limited', { 'retry-after': '0' }),
    respondError(503, 'unavailable', { 'retry-after': '0' }),
  ])('is retried when the service states that it executed nothing', async (responder) => {
    const { api, requests } = await stubbed([responder, respond(201, rex)]);
    expect(await api.createPet(input)).toEqual(rex);
    expect(requests.map(({ body }) => JSON.parse(body))).toEqual([input, input]);
  });

  test('is retried when no connection was made', async () => {
    const attempts: number[] = [];
    const { api, close } = await stubbed([pets], { on: { retry: (_error, attempt) => attempts.push(attempt) } });
    await close();
    expect(await errorOf(api.createPet(input))).toBeInstanceOf(ConnectionError);
    expect(attempts).toEqual([1, 2]);
  });
});
