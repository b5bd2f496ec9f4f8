// A method per operation. Integers are exact, in requests and in responses.
import { type Api, operations } from '@petstore/types';
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type Call,
  type Input,
  type PageCall,
  type Pet,
  type PetStatus,
  petstore,
  stringify,
} from '../src/index.ts';
import { newPet, pets, respond, rex, stubbed } from './stub-server.ts';

describe('a request', () => {
  test('has each input in its place: path, query, header or body', async () => {
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

  test('does not contain inputs that are undefined', async () => {
    const { store, requests } = await stubbed([pets, pets, respond(201, rex)]);
    await store.listPets({ status: undefined, limit: undefined });
    await store.listPets({ status: undefined }).collect({ max: undefined });
    await store.createPet({ ...newPet, status: undefined });
    expect(requests.map(({ url }) => url)).toEqual(['/v1/pets', '/v1/pets?limit=100', '/v1/pets']);
    expect(requests[2]?.body).toBe(JSON.stringify(newPet));
  });

  test('contains unknown inputs, so that the service rejects them by name', async () => {
    const { store, requests } = await stubbed([pets, respond(201, rex)]);
    await store.listPets({ colour: 'red&', tags: ['a', null, 'b'] } as never);
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
    await expect(store.getPet({ petId } as never)).rejects.toThrow(
      new TypeError(`getPet needs petId, not '${petId ?? ''}'`),
    );
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

  test.each([
    [2 ** 53, 'is 9007199254740992, which may have been rounded: pass a bigint'],
    [-(2 ** 53), 'is -9007199254740992, which may have been rounded: pass a bigint'],
    [Number.NaN, 'is NaN, which is not a JSON number'],
    [Infinity, 'is Infinity, which is not a JSON number'],
  ])('of %d is refused, not rounded', async (categoryId, problem) => {
    const { store, requests } = await stubbed();
    const message = `createPet.categoryId ${problem}`;
    const call = store.createPet({ name: 'x', categoryId });
    await expect(call).rejects.toThrow(new RangeError(message));
    expect(requests).toEqual([]);
  });

  test('is refused by its place if it is wrong inside an input', async () => {
    const { store } = await stubbed();
    const call = store.createPet({ ...newPet, tags: [{ size: Number.NaN }] } as never);
    await expect(call).rejects.toThrow('createPet.tags.0.size is NaN');
  });

  test('is printed with all its digits', async () => {
    const json = `{"id":1,"name":"x","categoryId":${2n ** 63n - 1n}}`;
    const { store } = await stubbed([respond(200, json)]);
    expect(stringify(await store.getPet({ petId: 1 }))).toBe(json);
    expect(stringify({ categoryId: 2n ** 60n }, 2)).toBe(
      '{\n  "categoryId": 1152921504606846976\n}',
    );
  });

  test('is exact, and a number with a fraction becomes the nearest number of JavaScript', async () => {
    const { store } = await stubbed([respond(200, '[{"weight":0.12345678901234567890}]')]);
    expect(await store.listPets()).toEqual([{ weight: 0.12345678901234568 }]);
  });

  test.each([
    ['9007199254740993.5', 'would be rounded'],
    ['9223372036854775809', 'has more than 64 bits'],
  ])('as %s in a response is an error, because it %s', async (number, problem) => {
    const { store } = await stubbed([respond(200, `[{"id":${number}}]`)]);
    const error = await store.listPets().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: 'UnexpectedResponseError',
      message: expect.stringContaining(problem),
    });
  });
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

  test('starts without being awaited', async () => {
    const { store, requests } = await stubbed();
    store.listPets();
    store.createPet(newPet).outcome();
    await expect.poll(() => requests.length).toBe(2);
  });
});

describe('a call with if-none-match', () => {
  const etag = '"1"';
  const unchanged = respond(304, '', { etag });

  test.each(['if-none-match', 'If-None-Match'])('by %s gives undefined for a 304', async (name) => {
    const { store, requests } = await stubbed([unchanged]);
    const options = { headers: { [name]: etag } } as { headers: { 'if-none-match': string } };
    const { data, response } = await store.listPets({}, options).withResponse();
    expect([data, response.status, response.headers.get('etag')]).toEqual([undefined, 304, etag]);
    expect(await store.listPets(undefined, options)).toBe(undefined);
    expect(await store.getPet({ petId: 1 }, options).outcome()).toEqual({
      ok: true,
      data: undefined,
    });
    expect(requests.map(({ headers }) => headers['if-none-match'])).toEqual([etag, etag, etag]);
  });

  test('returns the data if it has changed', async () => {
    const { store } = await stubbed([respond(200, [rex], { etag: '"2"' })]);
    const { data, response } = await store
      .listPets({}, { headers: { 'if-none-match': etag } })
      .withResponse();
    expectTypeOf(data).toEqualTypeOf<Pet[] | undefined>();
    expect([data, response.headers.get('etag')]).toEqual([[rex], '"2"']);
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
    expectTypeOf(() => store().listPets()).returns.toEqualTypeOf<PageCall<Pet>>();
    expectTypeOf(() => store().getPet({ petId: 1 })).returns.toEqualTypeOf<Call<Pet>>();
    expectTypeOf(store().createPet)
      .parameter(0)
      .toHaveProperty('categoryId')
      .toEqualTypeOf<number | bigint>();
    expectTypeOf<Input<'getPet'>>().toEqualTypeOf<{ petId: number }>();
    expectTypeOf<Input<'createPet'>>().toEqualTypeOf<{
      name: string;
      categoryId: number | bigint;
      status?: PetStatus | undefined;
    }>();
  });
});
