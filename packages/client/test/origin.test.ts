// Credentials never leave the origin, and are in no message.
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { petstore } from '../src/index.ts';
import {
  dropBefore,
  newPet,
  pets,
  type Responder,
  respond,
  respondError,
  rex,
  stubbed,
  stubServer,
} from './stub-server.ts';

const statuses = [301, 302, 303, 307, 308];
const to = (status: number, location: string) => respond(status, '', { location });

test.each(statuses)(
  'a list follows a redirect with %i within the origin, with the same headers',
  async (status) => {
    const { store, requests } = await stubbed([to(status, '../v2/pets?a=1'), pets]);
    expect(await store.listPets()).toEqual([rex]);
    expect(requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/v1/pets', 'Bearer k'],
      ['/v2/pets?a=1', 'Bearer k'],
    ]);
  },
);

test.each(statuses)('a create does not follow a redirect with %i', async (status) => {
  const { store, requests } = await stubbed([to(status, '/v1/pets'), pets]);
  const message = 'createPet: unexpected redirect to /v1/pets: no body';
  await expect(store.createPet(newPet)).rejects.toMatchObject({
    name: 'UnexpectedResponseError',
    status,
    message,
  });
  expect(requests.length).toBe(1);
});

test.each(statuses)('a redirect with %i to another origin is not followed', async (status) => {
  const other = await stubServer(pets);
  const { store, requests } = await stubbed([to(status, `${other.baseUrl}/pets`)]);
  await expect(store.listPets()).rejects.toMatchObject({ name: 'UnexpectedResponseError', status });
  expect([requests.length, other.requests.length]).toEqual([1, 0]);
});

test.each([
  'http://[',
  'http://rex:password@HOST/v1/pets',
  'blob:http://HOST/v1/pets',
  '//elsewhere.test/v1/pets',
])('a redirect to %s is an unexpected response, and is not retried', async (location) => {
  const redirect: Responder = (request, response) =>
    to(302, location.replace('HOST', request.headers.host ?? ''))(request, response);
  const { store, requests } = await stubbed([redirect]);
  await expect(store.listPets()).rejects.toMatchObject({
    name: 'UnexpectedResponseError',
    status: 302,
  });
  expect(requests.length).toBe(1);
});

test('an endless redirect is an error', async () => {
  const { store, requests } = await stubbed([to(302, '/v1/pets')]);
  await expect(store.listPets()).rejects.toMatchObject({ name: 'UnexpectedResponseError' });
  expect(requests.length).toBe(6);
});

test('a redirect that a browser hides is an error that says so', async () => {
  // A browser gives the status 0 for a redirect that it does not follow.
  const hidden = () => Object.defineProperty(new Response(null), 'status', { value: 0 });
  const store = petstore({
    baseUrl: 'http://pets.test/v1',
    apiKey: 'k',
    fetch: async () => hidden(),
  });
  const message = 'listPets: unexpected redirect to another address: no body';
  await expect(store.listPets()).rejects.toMatchObject({
    name: 'UnexpectedResponseError',
    status: 0,
    message,
  });
});

test.each([
  'http://OTHER/v1/pets',
  '//OTHER/v1/pets',
  'http://rex:password@HOST/v1/pets',
  'http://[',
])('the link of a page to %s is an error, and is not followed', async (target) => {
  const other = await stubServer(pets);
  const page: Responder = (request, response) => {
    const link = target
      .replace('OTHER', new URL(other.origin).host)
      .replace('HOST', request.headers.host ?? '');
    respond(200, [rex], { link: `<${link}>; rel="next"` })(request, response);
  };
  const { store, requests } = await stubbed([page]);
  const error = await store
    .listPets()
    .collect()
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    name: 'UnexpectedResponseError',
    message: expect.stringContaining('has another origin'),
  });
  expect([requests.length, other.requests.length]).toEqual([1, 0]);
});

test.each<[string, Responder]>([
  ['an error of the service', respondError(401, 'unauthorized')],
  ['a broken connection', dropBefore],
  ['a redirect', to(302, 'http://elsewhere.test/')],
  ['a body that is no JSON', respond(200, '<')],
])('the error for %s does not contain the key', async (_, responder) => {
  const { store } = await stubbed([responder], { apiKey: 'pk_secret', retry: 0 });
  const error = await store.listPets().catch((reason: unknown) => reason);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('pk_secret');
});
