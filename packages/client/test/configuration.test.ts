import { afterEach, describe, expect, test, vi } from 'vitest';
import { connect, type Options, petstore } from '../src/index.ts';
import { recording } from './recording.ts';

afterEach(() => vi.unstubAllGlobals());

describe('an address', () => {
  test.each([
    'http://user:secret@pets.test/v1',
    'http://secret@pets.test/v1',
    'http://user:secret@[/v1',
    'http://pets.test/v1?key=secret',
    'http://pets.test/v1#secret',
    'ftp://pets.test/secret',
    '/secret',
    'secret',
  ])('%s is rejected, and the message does not contain it', (baseUrl) => {
    expect(() => connect({ baseUrl })).toThrow(TypeError);
    expect(() => connect({ baseUrl })).not.toThrow(/secret/);
  });

  test.each([
    ['http://pets.test/v1/', 'http://pets.test/v1'],
    ['http://pets.test/a store/v1', 'http://pets.test/a%20store/v1'],
    [' http://pets.test/v1 ', 'http://pets.test/v1'],
    ['HTTP://Pets.test:80', 'http://pets.test'],
  ])('%s is normalized to %s', (address, baseUrl) => {
    expect(connect({ baseUrl: address }).baseUrl).toBe(baseUrl);
  });

  test('may be relative in a browser', () => {
    vi.stubGlobal('location', { href: 'https://shop.test/pets/index.html?x' });
    expect(connect({ baseUrl: '/v1' }).baseUrl).toBe('https://shop.test/v1');
  });
});

describe('headers', () => {
  test('of one name are merged, whatever their case', async () => {
    const { sent, api } = recording({
      headers: { 'User-Agent': 'mine', Authorization: 'Bearer other', Accept: 'a/b' },
    });
    await api
      .createPet({ name: 'x', categoryId: 1 }, { headers: { 'CONTENT-TYPE': 'text/plain', 'user-AGENT': 'ours' } })
      .outcome();
    expect(sent[0]?.headers).toEqual({
      accept: 'a/b',
      authorization: 'Bearer k',
      'content-type': 'application/json',
      'idempotency-key': expect.any(String),
      'user-agent': 'ours',
    });
  });

  test.each<[string, Options]>([
    ['authorization', { apiKey: 'se\ncret' }],
    ['authorization', { apiKey: 'secret☃' }],
    ['x-team', { headers: { 'x-team': 'secret\r\nx: y' } }],
    ['x team', { headers: { 'x team': 'secret' } }],
  ])('%s that cannot be sent is rejected without its value', async (name, options) => {
    const { sent, api } = recording(options);
    const error = await api.listPets().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(name);
    expect(String(error)).not.toContain('cret');
    expect(sent).toEqual([]);
  });
});

test('the error for a function that returns no key names the option to set', async () => {
  const { sent, api } = recording({ apiKey: async () => undefined as never });
  await expect(api.listPets()).rejects.toThrow('listPets: set apiKey or credentials.bearer');
  expect(sent).toEqual([]);
});

test('withOptions changes options without changing the client', async () => {
  const { sent, api } = recording({ headers: { 'x-team': 'a' } });
  await api.withOptions({ apiKey: 'other', headers: { 'x-job': 'b' } }).listPets();
  await api.listPets();
  expect(sent.map(({ headers }) => [headers.authorization, headers['x-team'], headers['x-job']])).toEqual([
    ['Bearer other', 'a', 'b'],
    ['Bearer k', 'a', undefined],
  ]);
});

test('withOptions replaces a header whose name is written differently', async () => {
  const { sent, api } = recording({ headers: { 'User-Agent': 'a', 'x-job': 'a' } });
  const changed = api.withOptions({ headers: { 'user-agent': 'b', 'X-Job': 'b' } });
  await changed.listPets();
  await changed.withOptions({ headers: { 'x-job': 'c' } }).listPets();
  expect(sent.map(({ headers }) => [headers['user-agent'], headers['x-job']])).toEqual([
    ['b', 'b'],
    ['b', 'c'],
  ]);
});

test('withOptions changes only what is passed', async () => {
  const waits: number[] = [];
  const transport = () => Promise.reject(new Error('down'));
  const { api } = recording({
    retry: { base: 0 },
    transport,
    on: { retry: (_reason, _attempt, ms) => waits.push(ms) },
  });
  await api
    .withOptions({ retry: 1, apiKey: undefined, transport: undefined } as never)
    .listPets()
    .outcome();
  expect(waits).toEqual([0]);
});

test('withOptions replaces a transport by a fetch', async () => {
  const { sent, api } = recording();
  const fetch = async () => Response.json([{ id: 1 }]);
  expect(await api.withOptions({ fetch }).listPets()).toEqual([{ id: 1 }]);
  expect(sent).toEqual([]);
});

test('the option fetch replaces the global one', async () => {
  const fetch = vi.fn(async () => Response.json([]));
  await petstore({ apiKey: 'k', baseUrl: 'http://pets.test/v1', fetch }).listPets();
  expect(fetch).toHaveBeenCalledWith('http://pets.test/v1/pets', expect.objectContaining({ method: 'GET' }));
});

describe('an option that is not a number from 0 on is rejected by name', () => {
  const wrong = [-1, Number.NaN, '5', null].flatMap((value) => [
    ['timeout', { timeout: value }],
    ['attemptTimeout', { attemptTimeout: value }],
    ['limit', { retry: value }],
    ['limit', { retry: { limit: value } }],
    ['base', { retry: { base: value } }],
    ['cap', { retry: { cap: value } }],
  ]) as [string, Options][];

  test.each(wrong)('%s in %j, for all calls', (name, options) => {
    expect(() => recording(options)).toThrow(RangeError);
    expect(() => recording(options)).toThrow(`option ${name} must be a number >= 0`);
  });

  test.each(wrong)('%s in %j, for one call', async (name, options) => {
    const { sent, api } = recording();
    await expect(api.listPets({}, options)).rejects.toThrow(`option ${name} must be a number >= 0`);
    expect(sent).toEqual([]);
  });
});

test('a function for the key that fails is called a bounded number of times', async () => {
  let calls = 0;
  const apiKey = async () => {
    calls++;
    throw Object.assign(new Error('down'), { name: 'TimeoutError' });
  };
  const { sent, api } = recording({ apiKey, retry: { limit: 2, base: 1, cap: 1 }, timeout: 0 });
  await expect(api.listPets()).rejects.toThrow('down');
  expect([calls, sent.length]).toEqual([3, 0]);
});

test.each([undefined, null, 'down', { headers: { 'retry-after': '1' } }])(
  'a function for the key that rejects with %j rejects the call with the same',
  async (reason) => {
    const { sent, api } = recording({ apiKey: () => Promise.reject(reason) });
    await expect(api.listPets()).rejects.toBe(reason);
    expect(sent).toEqual([]);
  },
);

test('an undefined or null header is not sent', async () => {
  const { sent, api } = recording({ headers: { 'x-team': 'a' } });
  await api.listPets({}, { headers: { 'x-team': undefined, 'x-job': null } as never });
  expect(sent[0]?.headers).toMatchObject({ 'x-team': 'a' });
  expect(sent[0]?.headers).not.toHaveProperty('x-job');
});

test('an address replaces a deployment, and a deployment an address', () => {
  const api = petstore({ deployment: 'staging' });
  expect(() =>
    api.withOptions({ baseUrl: 'http://pets.test/v1' }).withOptions({ deployment: 'staging' }),
  ).not.toThrow();
  expect(() => petstore({ deployment: 'toString' as never })).toThrow('no deployment toString');
});

test('transports and callbacks get the operation', async () => {
  const operations: unknown[] = [];
  const { sent, api } = recording({ on: { request: ({ operation }) => operations.push(operation) } });
  await api.listPets();
  expect([sent.map(({ operation }) => operation), operations]).toEqual([['listPets'], ['listPets']]);
});

test('the text of a transport need not be a promise', async () => {
  const transport = async () => ({ status: 200, headers: new Headers(), text: () => '[]' as never });
  expect(await petstore({ apiKey: 'k', baseUrl: 'http://pets.test/v1', transport }).listPets(null as never)).toEqual(
    [],
  );
});
