import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import {
  ConnectionError,
  NotFoundError,
  outcome,
  type Petstore,
  PetstoreError,
  petstore,
  TimeoutError,
} from '../src/index.ts';
import { pets, respond, respondError, stubbed } from './stub-server.ts';

const missing = { code: 'not_found', message: 'No such pet.', status: 404, hint: 'x' };

async function failing(status: number, body: unknown) {
  const { api } = await stubbed([respond(status, body, { 'x-request-id': 'r1' })], { retry: 0 });
  const error = await api.listPets().catch((reason: PetstoreError) => reason);
  if (!(error instanceof PetstoreError)) throw error;
  return error;
}

test('an error has the parsed body, and its response can still be read', async () => {
  const error = await failing(404, missing);
  expect(error).toMatchObject({ status: 404, code: 'not_found', requestId: 'r1', body: missing, attempts: 1 });
  expect(JSON.parse(await error.response.text())).toEqual(missing);
  expect(error.headers.get('x-request-id')).toBe('r1');
  expect((await failing(502, '<h1>Bad Gateway</h1>')).body).toBe('<h1>Bad Gateway</h1>');
});

test('the response of a success can still be read', async () => {
  const { api } = await stubbed([pets]);
  const { data, response } = await api.listPets().withResponse();
  expect(JSON.parse(await response.text())).toEqual(data);
});

test('an error as JSON has name and message, and is printed without its response', async () => {
  const error = await failing(404, missing);
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'NotFoundError',
    message: 'No such pet.',
    status: 404,
    code: 'not_found',
    requestId: 'r1',
    body: missing,
    attempts: 1,
  });
  expect(inspect(error)).toMatch(/^.*NotFoundError.*: No such pet/);
  expect(inspect(error)).not.toContain('Headers');
});

test.each([{ code: 'not_found' }, { code: 'not_found', message: {} }, { code: 5, message: 'No.' }])(
  'the message of an error that is not from the service quotes the body: %j',
  async (body) => {
    expect(await failing(404, body)).toMatchObject({ code: undefined, message: `404: ${JSON.stringify(body)}`, body });
  },
);

test('an error as JSON has its cause', async () => {
  const { api, close } = await stubbed([pets], { retry: 0 });
  await close();
  const reason: Record<string, unknown> = { big: 1n };
  reason.reason = reason;
  const aborted = (cause: unknown) => api.listPets({}, { signal: AbortSignal.abort(cause) }).outcome();
  const outcomes = await Promise.all([
    api.listPets().outcome(),
    ...[new Error('left'), 'enough', undefined, reason, Symbol('odd')].map(aborted),
  ]);
  expect(outcomes.map((one) => !one.ok && JSON.parse(JSON.stringify(one.error)).cause)).toEqual([
    expect.stringContaining('ECONNREFUSED'),
    'left',
    'enough',
    'This operation was aborted',
    '[object Object]',
    'Symbol(odd)',
  ]);
});

test('instanceof distinguishes the kinds', async () => {
  const error = await failing(404, missing);
  expect([NotFoundError, PetstoreError, Error].map((Class) => error instanceof Class)).toEqual([true, true, true]);
  expect([TimeoutError, ConnectionError].map((Class) => error instanceof Class)).toEqual([false, false]);
  for (const other of [
    undefined,
    null,
    'NotFoundError',
    { name: 'NotFoundError' },
    new DOMException('', 'TimeoutError'),
  ])
    expect([other instanceof NotFoundError, other instanceof TimeoutError]).toEqual([false, false]);
  expect(new ConnectionError('down', { cause: 1 })).toMatchObject({
    name: 'ConnectionError',
    message: 'down',
    cause: 1,
  });
});

test.each([
  [200, '[{"id":'],
  [418, ''],
  [302, ''],
  [204, ''],
])('the outcome of an undeclared response is a value, too: %i %s', async (status, body) => {
  const { api } = await stubbed([respond(status, body)]);
  expect(await api.listPets().outcome()).toMatchObject({ ok: false, error: { status } });
});

test('an outcome rejects for a mistake in the call', async () => {
  const api = petstore({ apiKey: 'k', baseUrl: 'http://pets.test/v1' });
  await expect(api.createPet({ name: 'x', categoryId: Number.NaN }).outcome()).rejects.toThrow(RangeError);
  await expect(outcome(api.getPet({ petId: '' as never }))).rejects.toThrow(TypeError);
});

test.each<[string, (api: Petstore) => Promise<unknown>]>([
  ['the data', (api) => api.listPets()],
  ['the response', (api) => api.listPets().withResponse()],
  ['a page', (api) => api.listPets().page()],
  ['an element', (api) => api.listPets()[Symbol.asyncIterator]().next()],
])('the stack of an error contains the function that awaits %s', async (_, call) => {
  const { api } = await stubbed([respondError(401, 'unauthorized')]);
  const namedCaller = async () => void (await call(api));
  await expect(namedCaller()).rejects.toMatchObject({ stack: expect.stringContaining('namedCaller') });
});
