import { apiKey } from '@petstore/testing/server';
import type { Api, Pet } from '@petstore/types';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openProject } from '../drift/project.ts';
import { startServer } from './support/server.ts';

const handlers = 'apps/server/src/handlers.ts';

/** Handlers that set headers: `createPet` as declared, `getPet` beside the ETag, `listPets` invalid ones. */
const edits = [
  ['type Handlers, stored', 'type Handlers, stored, WithHeaders'],
  [
    'createPet: (pet) => stored(pets(), (pets) => pets.create({ ...pet })),',
    `createPet: async (pet) => {
      const created = await stored<Pet>(pets(), (pets) => pets.create({ ...pet }));
      return new WithHeaders(created, { Location: \`/v1/pets/\${created.decode().id}\`, 'Content-Length': '1' });
    },`,
  ],
  [
    'stored(pets(), (pets) => pets.get(petId), noPet(petId))',
    `new WithHeaders(await stored<Pet>(pets(), (pets) => pets.get(petId), noPet(petId)), { 'Cache-Control': 'no-cache', etag: '"x"', 'X-Request-Id': 'x' })`,
  ],
  ['getPet: ({', 'getPet: async ({'],
  [
    'stored(pets(), (pets) => pets.list(queryOf(input)))',
    `new WithHeaders([], { Warning: input?.status + '\\r\\nSet-Cookie: a=b' })`,
  ],
  ['type Input, operations', 'type Input, operations, type Pet'],
] as const;

describe.each([false, true])('with validateResponses: %s', (validateResponses) => {
  let baseUrl: string;
  let stop: () => Promise<unknown>;
  let api: Api;
  beforeAll(async () => {
    const shipped = openProject();
    const source = edits.reduce((text, [from, to]) => text.replace(from, to), shipped.read(handlers));
    const project = shipped.with({ [handlers]: source });
    const server = await project.load<typeof import('@petstore/server')>('@petstore/server');
    const store = server.memoryStore();
    api = server.apiOf(server.handlers(store));
    const { origin, ...running } = await startServer({ validateResponses }, server, store);
    [baseUrl, stop] = [`${origin}/v1/pets`, running.stop];
  }, 60_000);
  afterAll(() => stop());

  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const rex = { name: 'Rex', categoryId: 2 };
  const post = (key: string) =>
    fetch(baseUrl, { method: 'POST', headers: { ...headers, 'idempotency-key': key }, body: JSON.stringify(rex) });

  test('a handler can set a header of its success, also of a replay, but none that the server sets', async () => {
    for (const _ of ['first', 'repeated']) {
      const response = await post('7e0a3f1c-55a4-4d0e-9d53-1f1a7c2f0b11');
      const pet = (await response.json()) as Pet;
      expect(response.headers.get('location')).toBe(`/v1/pets/${pet.id}`);
      expect(pet).toEqual({ id: pet.id, ...rex });
    }
  });

  test('the headers of a handler are sent beside those of a stored document, at each read and with a 304', async () => {
    const { id } = (await (await post(crypto.randomUUID())).json()) as Pet;
    for (const _ of [1, 2, 3, 4]) {
      const response = await fetch(`${baseUrl}/${id}`, { headers });
      expect(await response.json()).toEqual({ id, ...rex });
      expect(response.headers.get('cache-control')).toBe('no-cache');
      const etag = response.headers.get('etag') ?? '';
      expect([etag, response.headers.get('x-request-id')]).toEqual([
        expect.stringMatching(/^"[^",]{2,}"$/),
        expect.stringMatching(/^[^,]{36}$/),
      ]);
      const known = await fetch(`${baseUrl}/${id}`, { headers: { ...headers, 'if-none-match': etag } });
      expect([known.status, known.headers.get('cache-control')]).toEqual([304, 'no-cache']);
    }
    expect((await fetch(`${baseUrl}/999`, { headers })).headers.get('cache-control')).toBeNull();
  });

  test('an invalid header value is an error of the server, and is not sent', async () => {
    const response = await fetch(baseUrl, { headers });
    expect([response.status, response.headers.get('warning'), response.headers.get('set-cookie')]).toEqual([
      500,
      null,
      null,
    ]);
  });

  test('the handlers as an `Api` return the data', async () => {
    const { id, ...pet } = await api.createPet(rex);
    expect([pet, await api.getPet({ petId: id }), await api.listPets()]).toEqual([rex, { id, ...rex }, []]);
  });
});
