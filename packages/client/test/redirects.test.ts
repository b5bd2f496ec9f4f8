import { expect, test } from 'vitest';
import { petstore } from '../src/index.ts';
import { pets, type Responder, respond, rex, stubbed, stubServer } from './stub-server.ts';

const client = (...responders: Responder[]) => stubbed(responders, { retry: 0 });
const to = (status: number, location: string) => respond(status, '', { location });

test.each([301, 302, 303, 307, 308])('a create does not follow a redirect with %i', async (status) => {
  const { api, requests } = await client(to(status, '/v1/pets'), pets);
  await expect(api.createPet({ name: 'Rex', categoryId: 2 })).rejects.toMatchObject({
    name: 'UnexpectedResponseError',
    status,
  });
  expect(requests.length).toBe(1);
});

test.each([301, 302, 303, 307, 308])(
  'a list follows a redirect with %i within the origin, with the same headers',
  async (status) => {
    const { api, requests } = await client(to(status, '../v2/pets?a=1'), pets);
    expect(await api.listPets()).toEqual([rex]);
    expect(requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/v1/pets', 'Bearer k'],
      ['/v2/pets?a=1', 'Bearer k'],
    ]);
  },
);

test('the key is never sent to another origin', async () => {
  const other = await stubServer(pets);
  const { api } = await client(to(302, `${other.baseUrl}/pets`));
  await expect(api.listPets()).rejects.toMatchObject({ name: 'UnexpectedResponseError', status: 302 });
  expect(other.requests).toEqual([]);
});

test('the error for a redirect that a browser hides says that it is a redirect', async () => {
  // A browser reports the status 0 for a redirect that it does not follow.
  const hidden = () => Object.defineProperty(new Response(null), 'status', { value: 0 });
  const api = petstore({ baseUrl: 'http://pets.test/v1', apiKey: 'k', fetch: async () => hidden() });
  await expect(api.listPets()).rejects.toMatchObject({
    name: 'UnexpectedResponseError',
    status: 0,
    message: 'redirect: no body',
    attempts: 1,
  });
});

test('an endless redirect is an error', async () => {
  const { api, requests } = await client(to(302, '/v1/pets'));
  await expect(api.listPets()).rejects.toMatchObject({ name: 'UnexpectedResponseError' });
  expect(requests.length).toBe(6);
});

test.each(['http://[', 'http://rex:password@HOST/v1/pets', 'blob:http://HOST/v1/pets'])(
  'a redirect to %s, which fetch rejects, is an unexpected response, and is not retried',
  async (location) => {
    const redirect: Responder = (request, response) =>
      to(302, location.replace('HOST', request.headers.host ?? ''))(request, response);
    const { api, requests } = await stubbed([redirect]);
    await expect(api.listPets()).rejects.toMatchObject({ name: 'UnexpectedResponseError', status: 302 });
    expect(requests.length).toBe(1);
  },
);

test('a 2xx that the operation does not declare is an error', async () => {
  const { api } = await client(respond(200, rex));
  await expect(api.createPet({ name: 'Rex', categoryId: 2 })).rejects.toMatchObject({
    name: 'UnexpectedResponseError',
    status: 200,
    body: rex,
  });
});
