import { type Api, operations } from '@petstore/types';
import { expect, test } from 'vitest';
import {
  ConnectionError,
  connect,
  createPet,
  getPet,
  listPets,
  PetstoreError,
  petstore,
  type Transport,
} from '../src/index.ts';

type Sent = Parameters<Transport>[0];

/** A connection whose requests are kept and answered with what is given. */
function recording(status: number, body: string) {
  const sent: Sent[] = [];
  const transport: Transport = async (request) => {
    sent.push(request);
    return new Response(body, { status });
  };
  return { sent, connection: connect({ apiKey: 'k', baseUrl: 'http://pets.test/v1/', transport }), transport };
}

test('puts each input where the spec says', async () => {
  const { sent, connection } = recording(200, '[]');
  await listPets(connection, { limit: 5, status: 'sold' });
  await getPet(connection, { petId: 7 });
  await createPet(connection, { name: 'Rex', categoryId: 1 });
  expect(sent.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', 'http://pets.test/v1/pets?limit=5&status=sold', undefined],
    ['GET', 'http://pets.test/v1/pets/7', undefined],
    ['POST', 'http://pets.test/v1/pets', '{"name":"Rex","categoryId":1}'],
  ]);
});

test('sends the key as a bearer token', async () => {
  const { sent, connection } = recording(200, '[]');
  await listPets(connection);
  expect(sent[0]?.headers.authorization).toBe('Bearer k');
});

test('never lets a path field climb to another path', async () => {
  const { sent, connection } = recording(200, '{}');
  await expect(getPet(connection, { petId: '..' as unknown as number })).rejects.toThrow(TypeError);
  expect(sent).toEqual([]);
});

test('rejects with what the service said', async () => {
  const { connection } = recording(404, '{"code":"not_found","message":"There is no such animal.","status":404}');
  const error = await getPet(connection, { petId: 7 }).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(PetstoreError);
  expect(error).toMatchObject({ status: 404, code: 'not_found', message: 'There is no such animal.' });
});

test('rejects with the status and the text when the answer is not an Error', async () => {
  const { connection } = recording(502, '<h1>Bad Gateway</h1>');
  await expect(listPets(connection)).rejects.toMatchObject({
    status: 502,
    message: expect.stringContaining('Bad Gateway'),
  });
});

test('says so when the service cannot be reached', async () => {
  const cause = new Error('refused');
  const transport: Transport = () => Promise.reject(cause);
  const error = await petstore({ apiKey: 'k', transport })
    .listPets()
    .catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ cause });
});

test('offers the whole Api', () => {
  const api: Api = petstore({ apiKey: 'k' });
  expect(Object.keys(api).sort()).toEqual(Object.keys(operations).sort());
});
