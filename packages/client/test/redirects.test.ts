import { afterEach, expect, test } from 'vitest';
import { petstore } from '../src/index.ts';
import { answer, type Fault, type FaultyServer, faulty, pets, rex } from './faults.ts';

let server: FaultyServer;
afterEach(() => server.close());

async function client(...faults: Fault[]) {
  server = await faulty(...faults);
  return petstore({ apiKey: 'k', baseUrl: server.baseUrl, retry: 0 });
}

const to = (status: number, location: string) => answer(status, '', { location });

test.each([301, 302, 303, 307, 308])(
  'a create is never followed on %i, as another request least of all',
  async (status) => {
    const api = await client(to(status, '/v1/pets'), pets);
    await expect(api.createPet({ name: 'Rex', categoryId: 2 })).rejects.toMatchObject({
      name: 'UnexpectedResponseError',
      status,
    });
    expect(server.requests.length).toBe(1);
  },
);

test.each([301, 302, 303, 307, 308])('a list is followed on %i within the origin, with its headers', async (status) => {
  const api = await client(to(status, '../v2/pets?a=1'), pets);
  expect(await api.listPets()).toEqual([rex]);
  expect(server.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/v1/pets', 'Bearer k'],
    ['/v2/pets?a=1', 'Bearer k'],
  ]);
});

test('the key is never taken to another origin', async () => {
  const other = await faulty(pets);
  const api = await client(to(302, `${other.baseUrl}/pets`));
  await expect(api.listPets()).rejects.toMatchObject({ name: 'UnexpectedResponseError', status: 302 });
  expect(other.requests).toEqual([]);
  await other.close();
});

test('a redirect that never ends is an error', async () => {
  const api = await client(to(302, '/v1/pets'));
  await expect(api.listPets()).rejects.toMatchObject({ name: 'UnexpectedResponseError' });
  expect(server.requests.length).toBe(6);
});

test('a redirect to no address is an error of the connection', async () => {
  const api = await client(to(302, 'http://['));
  await expect(api.listPets()).rejects.toMatchObject({ name: 'ConnectionError' });
});

test('only the statuses that the operation declares are a success', async () => {
  const api = await client(answer(200, rex));
  await expect(api.createPet({ name: 'Rex', categoryId: 2 })).rejects.toMatchObject({
    name: 'UnexpectedResponseError',
    status: 200,
    body: rex,
  });
});
