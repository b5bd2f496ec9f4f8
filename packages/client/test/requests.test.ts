// C1: a method per operation. C5: integers are exact, in requests and in responses.
import { type Api, operations } from '@petstore/types';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { type Call, type PageCall, type Pet, petstore } from '../src/index.ts';
import { newPet, pets, respond, rex, stubbed } from './stub-server.ts';

describe('a request', () => {
  test('has each input where the operation has it', async () => {
    const { store, requests } = await stubbed([pets, respond(200, rex), respond(201, rex)]);
    await store.listPets({ limit: 5, status: 'sold' });
    await store.getPet({ petId: 7 });
    await store.createPet({ name: 'Rex & Tom', categoryId: 1 });
    expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/v1/pets?limit=5&status=sold', ''],
      ['GET', '/v1/pets/7', ''],
      ['POST', '/v1/pets', '{"name":"Rex & Tom","categoryId":1}'],
    ]);
  });

  test('has the key and says that it is JSON', async () => {
    const { store, requests } = await stubbed([respond(201, rex)]);
    await store.createPet(newPet);
    const json = 'application/json';
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer k',
      accept: json,
      'content-type': json,
    });
  });

  test('lacks undefined inputs, and has unknown ones where the service names them', async () => {
    const { store, requests } = await stubbed([pets, respond(201, rex)]);
    await store.listPets({ status: undefined, colour: 'red&', tags: ['a', null, 'b'] } as never);
    await store.createPet(JSON.parse('{"name":"x","categoryId":1,"__proto__":1,"colour":"red"}'));
    expect(requests[0]?.url).toBe('/v1/pets?colour=red%26&tags=a&tags=b');
    expect(requests[1]?.body).toBe('{"name":"x","categoryId":1,"__proto__":1,"colour":"red"}');
  });

  test('never leads to another path because of an input', async () => {
    const { store, requests } = await stubbed([respond(200, rex)]);
    await store.getPet({ petId: '../pets' as never });
    expect(requests[0]?.url).toBe('/v1/pets/..%2Fpets');
  });

  test.each(['..', '.', '', undefined])('is not sent for the path parameter %j', async (petId) => {
    const { store, requests } = await stubbed();
    await expect(store.getPet({ petId } as never)).rejects.toThrow(TypeError);
    expect(requests).toEqual([]);
  });
});

describe('an integer', () => {
  test.each([2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n)])(
    'of %d is exact in both directions',
    async (categoryId) => {
      const { store, requests } = await stubbed([
        (_, response) =>
          response.writeHead(201).end(`{"id":1,"name":"x","categoryId":${categoryId}}`),
      ]);
      expect(await store.createPet({ name: 'x', categoryId })).toEqual({
        id: 1,
        name: 'x',
        categoryId,
      });
      expect(requests[0]?.body).toBe(`{"name":"x","categoryId":${categoryId}}`);
    },
  );

  test.each([2 ** 53, -(2 ** 53), Number.NaN, Infinity])(
    'of %d is refused, not rounded',
    async (categoryId) => {
      const { store, requests } = await stubbed();
      const call = store.createPet({ name: 'x', categoryId });
      await expect(call).rejects.toThrow(
        'createPet: a number in categoryId may be rounded; pass a bigint',
      );
      await expect(call).rejects.toThrow(RangeError);
      expect(requests).toEqual([]);
    },
  );

  test.each(['9007199254740993.5', '9223372036854775809'])(
    'as %s in a response is an error',
    async (number) => {
      const { store } = await stubbed([respond(200, `[{"id":${number}}]`)]);
      const error = await store.listPets().catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        name: 'UnexpectedResponseError',
        message: expect.stringContaining('rounded'),
      });
    },
  );
});

describe('a call', () => {
  test('is a promise like any other', async () => {
    const { store } = await stubbed([
      respond(404, { code: 'not_found', message: 'no', status: 404 }),
    ]);
    let ended = false;
    const end = () => {
      ended = true;
    };
    await expect(store.getPet({ petId: 1 }).finally(end)).rejects.toThrow('no');
    expect(ended).toBe(true);
    expect(await store.getPet({ petId: 1 }).catch(() => 'caught')).toBe('caught');
    expect(await Promise.allSettled([store.getPet({ petId: 1 })])).toMatchObject([
      { status: 'rejected' },
    ]);
  });

  test('gives the response with the data on request', async () => {
    const { store } = await stubbed([respond(200, [rex], { etag: '"1"' })]);
    const { data, response } = await store.listPets().withResponse();
    expect([data, response.status, response.headers.get('etag')]).toEqual([[rex], 200, '"1"']);
  });
});

describe('the methods', () => {
  test('are those of the whole service', () => {
    const store = petstore({ apiKey: 'k' });
    expectTypeOf(store).toExtend<Api>();
    expect(Object.keys(store).sort()).toEqual(Object.keys(operations).sort());
  });

  test('have types of their own operation', () => {
    const store = () => petstore({ apiKey: 'k' });
    expectTypeOf(store().listPets).returns.toEqualTypeOf<PageCall<Pet>>();
    expectTypeOf(store().getPet).returns.toEqualTypeOf<Call<Pet>>();
    expectTypeOf(store().createPet)
      .parameter(0)
      .toHaveProperty('categoryId')
      .toEqualTypeOf<number | bigint>();
  });
});
