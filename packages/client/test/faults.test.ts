import { afterEach, describe, expect, test } from 'vitest';
import {
  AbortedError,
  ConnectionError,
  connect,
  InvalidRequestError,
  NotFoundError,
  type Options,
  petstore,
  RateLimitedError,
  request,
  ServerError,
  TimeoutError,
  UnauthorizedError,
  UnexpectedResponseError,
} from '../src/index.ts';
import {
  answer,
  dropAfter,
  dropBefore,
  dropIn,
  type Fault,
  type FaultyServer,
  faulty,
  pets,
  refuse,
  rex,
  slowBody,
  slowHeaders,
} from './faults.ts';

let server: FaultyServer;
afterEach(() => server.close());

/** A client of a server that treats its requests like this; it waits only milliseconds before it tries again. */
async function client(faults: Fault[], options: Partial<Options> = {}) {
  server = await faulty(...faults);
  return petstore({ apiKey: 'k', baseUrl: server.baseUrl, retry: { base: 1, cap: 5 }, ...options });
}

const reason = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    (data) => ({ succeeded: data }),
    (error: unknown) => error,
  );
const list = [{ ...rex }];

describe('a list', () => {
  test.each<[string, Fault[], number]>([
    ['a connection that drops before the answer', [dropBefore, pets], 2],
    ['a connection that drops in the answer', [dropIn, pets], 2],
    ['503 twice', [refuse(503, 'unavailable'), refuse(503, 'unavailable'), pets], 3],
    ['500', [refuse(500, 'internal_error'), pets], 2],
    ["a proxy's 502", [answer(502, '<h1>Bad Gateway</h1>', { 'content-type': 'text/html' }), pets], 2],
    ['408', [refuse(408, 'invalid_request'), pets], 2],
    ['429 with seconds', [refuse(429, 'rate_limited', { 'retry-after': '0' }), pets], 2],
    ['429 with a date', [refuse(429, 'rate_limited', { 'retry-after': new Date(0).toUTCString() }), pets], 2],
  ])('survives %s', async (_, faults, requests) => {
    const api = await client(faults);
    expect(await api.listPets()).toEqual(list);
    expect(server.requests.length).toBe(requests);
  });

  test('survives a connection that drops after the answer', async () => {
    const api = await client([dropAfter]);
    expect(await api.listPets()).toEqual([]);
    expect(server.requests.length).toBe(1);
  });

  test.each<[string, Fault, number, new (...args: never[]) => Error, object]>([
    ['every answer is dropped', dropBefore, 3, ConnectionError, {}],
    ['every answer breaks off', dropIn, 3, ConnectionError, {}],
    ['the service keeps failing', refuse(503, 'unavailable'), 3, ServerError, { status: 503, code: 'unavailable' }],
    ['the key calls too often', refuse(429, 'rate_limited'), 3, RateLimitedError, { status: 429 }],
    [
      'the key is wrong',
      refuse(401, 'unauthorized'),
      1,
      UnauthorizedError,
      { status: 401, message: 'it is unauthorized' },
    ],
    [
      'the input is wrong',
      refuse(400, 'invalid_request'),
      1,
      InvalidRequestError,
      { status: 400, code: 'invalid_request' },
    ],
    ['there is nothing', refuse(404, 'not_found'), 1, NotFoundError, { status: 404 }],
    [
      'a proxy answers HTML',
      answer(403, '<h1>No</h1>'),
      1,
      InvalidRequestError,
      { status: 403, code: undefined, message: '403: <h1>No</h1>' },
    ],
    ['a failure has no body', answer(418, ''), 1, InvalidRequestError, { status: 418, message: '418: no body' }],
    ['a failure is truncated', answer(404, '{"code":"not_f'), 1, NotFoundError, { status: 404, code: undefined }],
    ['a redirect leads nowhere', answer(304, ''), 1, UnexpectedResponseError, { status: 304 }],
    [
      'a success is HTML',
      answer(200, '<p>hello</p>', { 'content-type': 'text/html' }),
      1,
      UnexpectedResponseError,
      { status: 200, message: expect.stringContaining('<p>hello</p>') },
    ],
    [
      'a success is truncated',
      answer(200, '[{"id":'),
      1,
      UnexpectedResponseError,
      { status: 200, message: expect.stringContaining('broken JSON') },
    ],
    ['a success is empty', answer(200, ''), 1, UnexpectedResponseError, { status: 200 }],
    [
      'a number was rounded',
      answer(200, '[{"id":9007199254740993.5}]'),
      1,
      UnexpectedResponseError,
      { status: 200, message: expect.stringContaining('inexact number') },
    ],
  ])('fails with the right error when %s', async (_, fault, requests, Class, about) => {
    const api = await client([fault]);
    const error = await reason(api.listPets());
    expect(error).toBeInstanceOf(Class);
    expect(error).toMatchObject({ ...about, name: Class.name, stack: expect.stringContaining('Error') });
    expect(server.requests.length).toBe(requests);
  });

  test.each([
    ['headers', slowHeaders],
    ['a body', slowBody],
  ])('gives up when %s take too long', async (_, fault) => {
    const api = await client([fault], { timeout: 100 });
    expect(await reason(api.listPets())).toBeInstanceOf(TimeoutError);
    // On a busy machine not even the first one may have arrived.
    expect(server.requests.length).toBeLessThan(2);
  });

  test.each<[string, Partial<Options>]>([
    ['the deadline', { timeout: 5_000, retry: { cap: 60_000 } }],
    ['the cap', { timeout: 60_000, retry: { cap: 5_000 } }],
  ])('fails at once when the service asks for a wait beyond %s', async (_, options) => {
    const api = await client([refuse(429, 'rate_limited', { 'retry-after': '10' })], options);
    expect(await reason(api.listPets())).toMatchObject({ name: 'RateLimitedError', attempts: 1 });
    expect(server.requests.length).toBe(1);
  });

  const abortedIn: [string, number, (abort: () => void) => Fault][] = [
    [
      'before it begins',
      0,
      (abort) => {
        abort();
        return pets;
      },
    ],
    [
      'while it is answered',
      1,
      (abort) => (request, response) => {
        slowBody(request, response);
        abort();
      },
    ],
    ['while it waits', 1, () => refuse(503, 'unavailable', { 'retry-after': '10' })],
  ];
  test.each(abortedIn)('can be aborted %s', async (_, requests, faultThat) => {
    const controller = new AbortController();
    const abort = () => controller.abort('enough');
    const api = await client([faultThat(abort)], { retry: { limit: 2, cap: 20_000 }, on: { retry: abort } });
    expect(await reason(api.listPets({}, { signal: controller.signal }))).toBeInstanceOf(AbortedError);
    expect(server.requests.length).toBe(requests);
  });

  test('is repeated as often as told', async () => {
    const api = await client([dropBefore]);
    await reason(api.listPets({}, { retry: 0 }));
    expect(server.requests.length).toBe(1);
    await reason(api.listPets({}, { retry: 4 }));
    expect(server.requests.length).toBe(1 + 5);
  });
});

describe('a create', () => {
  const input = { name: 'Rex', categoryId: 2 };

  test.each<[string, Fault]>([
    ['the connection drops before the answer', dropBefore],
    ['the connection drops in the answer', dropIn],
    ["a proxy's 502 comes", answer(502, '<h1>Bad Gateway</h1>')],
    ["a proxy's 503 comes", answer(503, 'down')],
    ['500 comes', refuse(500, 'internal_error')],
    ['an attempt before is still being worked on', refuse(409, 'request_in_flight')],
  ])('is repeated with the same key when %s', async (_, fault) => {
    const api = await client([fault, answer(201, rex)]);
    expect(await api.createPet(input)).toEqual(rex);
    await api.createPet(input);
    const [first, second, other] = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[!-~]{20,255}$/);
    expect([second === first, other === first]).toEqual([true, false]);
  });

  test.each([
    { idempotencyKey: 'order-17' },
    { headers: { 'Idempotency-Key': 'order-17' } },
    { idempotencyKey: 'order-17', headers: { 'idempotency-key': 'order-18' } },
  ])('is sent with the key of the caller: %o', async (options) => {
    const api = await client([dropBefore, answer(201, rex)]);
    await api.createPet(input, options);
    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['order-17', 'order-17']);
  });

  test.each([refuse(429, 'rate_limited', { 'retry-after': '0' }), refuse(503, 'unavailable', { 'retry-after': '0' })])(
    'is repeated when the service itself says that it did nothing',
    async (fault) => {
      const api = await client([fault, answer(201, rex)]);
      expect(await api.createPet(input)).toEqual(rex);
      expect(server.requests.map(({ body }) => JSON.parse(body))).toEqual([input, input]);
    },
  );

  test('is repeated when no connection was made', async () => {
    const api = await client([pets]);
    await server.close();
    const attempts: number[] = [];
    const error = await reason(api.createPet(input, { retry: { limit: 2, base: 1 } }));
    expect(error).toBeInstanceOf(ConnectionError);
    const watched = petstore({
      apiKey: 'k',
      baseUrl: server.baseUrl,
      retry: { base: 1 },
      on: { retry: (_error, attempt) => attempts.push(attempt) },
    });
    await reason(watched.createPet(input));
    expect(attempts).toEqual([1, 2]);
    server = await faulty(pets);
  });
});

describe('a request that must not arrive twice', () => {
  const send = async (fault: Fault) => {
    server = await faulty(fault, answer(201, rex));
    const connection = connect({ apiKey: 'k', baseUrl: server.baseUrl, retry: { base: 1, cap: 5 } });
    return reason(request(connection, { method: 'POST', path: '/pets', body: '{}' }));
  };

  test.each<[string, Fault]>([
    ['the connection drops before the answer', dropBefore],
    ['the connection drops in the answer', dropIn],
    ["a proxy's 503 comes", answer(503, 'down')],
    ['500 comes', refuse(500, 'internal_error')],
  ])('is not repeated when %s', async (_, fault) => {
    expect(await send(fault)).toBeInstanceOf(Error);
    expect(server.requests.length).toBe(1);
  });

  test('is repeated when the service itself says that it did nothing', async () => {
    await send(refuse(503, 'unavailable', { 'retry-after': '0' }));
    expect(server.requests.length).toBe(2);
  });
});
