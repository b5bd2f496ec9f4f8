// Named error classes below one root, exhaustive by type in a `catch`, and recognized across copies.
import { service } from '@petstore/types';
import { describe, expect, test, vi } from 'vitest';
import * as client from '../src/index.ts';
import {
  NotFoundError,
  type Petstore,
  PetstoreError,
  petstore,
  ResponseError,
} from '../src/index.ts';
import {
  dropBefore,
  newPet,
  pets,
  type Responder,
  respond,
  respondError,
  rex,
  stubbed,
} from './stub-server.ts';

const html = '<h1>No</h1>';

describe('an error of a list has its class and its message when', () => {
  test.each<[string, Responder, string, object]>([
    [
      'the key is wrong',
      respondError(401, 'unauthorized'),
      'UnauthorizedError',
      { message: 'it is unauthorized' },
    ],
    [
      'the input is invalid',
      respondError(400, 'invalid_request'),
      'InvalidRequestError',
      { code: 'invalid_request' },
    ],
    ['there is no such pet', respondError(404, 'not_found'), 'NotFoundError', { status: 404 }],
    [
      'a proxy responds with HTML',
      respond(403, html),
      'InvalidRequestError',
      { code: undefined, message: `403: ${html}` },
    ],
    ['an error has no body', respond(418, ''), 'InvalidRequestError', { message: '418: no body' }],
    ['an error is truncated', respond(404, '{"code":"not_f'), 'NotFoundError', { code: undefined }],
    [
      'an error is very long',
      respond(400, 'x'.repeat(1e5)),
      'InvalidRequestError',
      { message: `400: ${'x'.repeat(200)}` },
    ],
    ['the service fails', respondError(500, 'internal_error'), 'ServerError', { status: 500 }],
    [
      'nothing has changed',
      respond(304),
      'UnexpectedResponseError',
      { message: 'listPets: unexpected status 304: no body' },
    ],
    [
      'a success has another status',
      respond(202, [rex]),
      'UnexpectedResponseError',
      { body: [rex] },
    ],
    [
      'a success is HTML',
      respond(200, html),
      'UnexpectedResponseError',
      { message: expect.stringContaining(html) },
    ],
    [
      'a success is truncated',
      respond(200, '[{"id":'),
      'UnexpectedResponseError',
      { body: '[{"id":' },
    ],
    ['a success is empty', respond(200, ''), 'UnexpectedResponseError', { status: 200 }],
    [
      'a success is not a list',
      respond(200, rex),
      'UnexpectedResponseError',
      { message: `listPets: not a list: ${JSON.stringify(rex)}` },
    ],
    ['the connection breaks', dropBefore, 'ConnectionError', { cause: expect.any(TypeError) }],
  ])('%s', async (_, responder, name, properties) => {
    const { store } = await stubbed([responder], { retry: 0 });
    const error = await store.listPets().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      ...properties,
      name,
      attempts: 1,
      stack: expect.stringContaining(`${name}: `),
    });
    expect(error).toBeInstanceOf(Reflect.get(client, name));
    expect(error).toBeInstanceOf(PetstoreError);
    expect(error instanceof ResponseError).toBe(name !== 'ConnectionError');
  });
});

test('an error of a response has the status, code, message and identifier that the service sent', async () => {
  const { store } = await stubbed([respondError(404, 'not_found', { 'x-request-id': 'r-7' })]);
  const error = await store.getPet({ petId: 1 }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    name: 'NotFoundError',
    code: 'not_found',
    message: 'it is not_found',
    status: 404,
    requestId: 'r-7',
    body: { code: 'not_found', message: 'it is not_found', status: 404 },
  });
  expect((error as ResponseError).headers.get('x-request-id')).toBe('r-7');
  expect((error as ResponseError).response.status).toBe(404);
});

test('a 404 from an address without the base path says so', async () => {
  const { store, origin } = await stubbed([respondError(404, 'not_found')]);
  const hint = ` (baseUrl does not end in ${service.basePath})`;
  await expect(store.withOptions({ baseUrl: origin }).listPets()).rejects.toThrow(
    `it is not_found${hint}`,
  );
  await expect(store.listPets()).rejects.toThrow(/not_found$/);
});

test('a connection error names the variable to check', async () => {
  const { store, close } = await stubbed([], { retry: 0 });
  await close();
  await expect(store.listPets()).rejects.toThrow('check baseUrl or PETSTORE_BASE_URL');
});

describe('an outcome', () => {
  test('has the data or the error', async () => {
    const { store } = await stubbed([pets, respondError(404, 'not_found')]);
    expect(await store.listPets().outcome()).toEqual({ ok: true, data: [rex] });
    const outcome = await store.getPet({ petId: 1 }).outcome();
    expect(outcome).toMatchObject({ ok: false, error: { name: 'NotFoundError' } });
  });

  test('rejects for a wrong argument', async () => {
    const { store } = await stubbed();
    await expect(store.createPet({ ...newPet, categoryId: 2 ** 60 }).outcome()).rejects.toThrow(
      RangeError,
    );
  });
});

test('the classes of another copy of the package recognize an error', async () => {
  vi.resetModules();
  const copy = await import('../src/index.ts');
  const { store } = await stubbed([respondError(404, 'not_found')]);
  const error = await store.getPet({ petId: 1 }).catch((reason: unknown) => reason);
  expect(copy.NotFoundError).not.toBe(client.NotFoundError);
  for (const Class of [copy.NotFoundError, copy.ResponseError, copy.PetstoreError])
    expect(error).toBeInstanceOf(Class);
  for (const Class of [copy.ServerError, copy.ConnectionError])
    expect(error).not.toBeInstanceOf(Class);
  for (const other of [undefined, null, 'text', {}, new Error('other')])
    expect(other).not.toBeInstanceOf(PetstoreError);
});

describe('a class of the caller that extends an error class', () => {
  class ShopError extends PetstoreError {
    readonly shop = 'north';
  }
  class LostPetError extends NotFoundError {}

  test('recognizes its own errors only', async () => {
    const { store } = await stubbed([respondError(404, 'not_found')]);
    const error = await store.getPet({ petId: 1 }).catch((reason: unknown) => reason);
    expect(error).not.toBeInstanceOf(ShopError);
    expect(error).not.toBeInstanceOf(LostPetError);
    const own = new ShopError('closed', { cause: error });
    expect(own).toBeInstanceOf(ShopError);
    expect(own).toBeInstanceOf(PetstoreError);
    expect(own).not.toBeInstanceOf(ResponseError);
    expect(own).toMatchObject({ message: 'closed', cause: error, shop: 'north' });
  });

  test('narrows to itself', () => {
    const shopOf = (error: unknown) => (error instanceof ShopError ? error.shop : undefined);
    expect(shopOf(new ShopError('closed'))).toBe('north');
  });
});

test('an error may be given another name', async () => {
  const { store } = await stubbed([respondError(404, 'not_found')]);
  const error = await store.getPet({ petId: 1 }).catch((reason: unknown) => reason as Error);
  Object.assign(error, { name: 'LostError' });
  expect(error).toMatchObject({ name: 'LostError' });
  expect(Object.keys(new NotFoundError(new Response(null, { status: 404 }), ''))).not.toContain(
    'name',
  );
});

test.each<[string, (store: Petstore) => Promise<unknown>]>([
  ['awaits it', async (store) => await store.listPets()],
  ['asks for its response', async (store) => await store.listPets().withResponse()],
  ['collects it', async (store) => await store.listPets().collect()],
  ['reads its pages', async (store) => await store.listPets().pages().next()],
  [
    'reads its elements',
    async (store) => {
      for await (const _ of store.listPets());
    },
  ],
])('the stack of an error leads to the code that made the call, and %s', async (_, read) => {
  const { store } = await stubbed([respondError(404, 'not_found')]);
  const stack = expect.stringContaining('errors.test.ts');
  await expect(read(store)).rejects.toMatchObject({ stack });
});

test('a switch in a catch is exhaustive, because the root of the errors narrows to all of them', async () => {
  const { store } = await stubbed([respondError(429, 'rate_limited')], { retry: 0 });
  const advise = (error: unknown): string => {
    if (!(error instanceof PetstoreError)) throw error;
    switch (error.name) {
      case 'UnauthorizedError':
      case 'NotFoundError':
      case 'RateLimitedError':
      case 'InvalidRequestError':
      case 'ServerError':
      case 'UnexpectedResponseError':
        return `status ${error.status}`;
      case 'ConnectionError':
      case 'TimeoutError':
      case 'AbortedError':
        return `after ${error.attempts} attempts`;
      default:
        return error satisfies never;
    }
  };
  expect(await store.listPets().then(String, advise)).toBe('status 429');
});

test('an error of a call that nobody awaits is one unhandled rejection of the call, and not of its parts', async () => {
  const { store } = await stubbed([respondError(404, 'not_found')]);
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown) => rejections.push(reason);
  process.on('unhandledRejection', onRejection);
  const call = store.getPet({ petId: 1 });
  await Promise.allSettled([call.withResponse(), call.outcome()]);
  const list = petstore({ apiKey: () => '' }).listPets();
  await Promise.allSettled([
    list.collect(),
    list.collect({ max: -1 }),
    list[Symbol.asyncIterator]().next(),
  ]);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', onRejection);
  expect(rejections).toEqual([]);
});
