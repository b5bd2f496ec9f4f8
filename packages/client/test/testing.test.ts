import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Api, type Operation, operations, type Pagination, type Schema } from '@petstore/types';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { connect, createPet, NotFoundError, petstore, UnauthorizedError } from '../src/index.ts';
import { fakeService } from '../src/testing/index.ts';
import { readBody } from '../src/testing/read-body.ts';
import { routesOf } from '../src/testing/read-request.ts';
import { Resources } from '../src/testing/resources.ts';

const fake = fakeService({ pageSize: 2 });
const { store } = fake;
const rex = { name: 'Rex', categoryId: 2, status: 'sold' } as const;

beforeEach(() => fake.reset());

test('the fake service stores pets', async () => {
  const { id } = await store.createPet(rex);
  expect(await store.getPet({ petId: id })).toEqual({ id, ...rex });
  await expect(store.getPet({ petId: 99 })).rejects.toThrow(NotFoundError);
});

test("the fetch of the fake service replaces a client's and the global one", async () => {
  await createPet(connect({ apiKey: 'k', baseUrl: 'http://127.0.0.1:8080/v1', fetch: fake.fetch }), rex);
  vi.stubGlobal('fetch', fake.fetch);
  expect(await petstore({ apiKey: 'k' }).listPets()).toMatchObject([rex]);
  vi.unstubAllGlobals();
});

test('the fake service has pages', async () => {
  for (let i = 0; i < 5; i++) await store.createPet(rex);
  expect((await store.listPets()).length).toBe(2);
  expect((await store.listPets({ status: 'sold' }).collect({ max: 10 })).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
  expect(await store.listPets({ status: 'available' }).collect({ max: 10 })).toEqual([]);
});

describe('pages', () => {
  test('are objects with the next page', async () => {
    for (let i = 0; i < 3; i++) await store.createPet(rex);
    const page = await store.listPets().page();
    expect([page.items.length, page.hasNext]).toEqual([2, true]);
    const last = await page.next();
    expect([last?.items.length, last?.hasNext, await last?.next()]).toEqual([1, false, undefined]);
  });

  test.each([0, 1, 2, 3])('are collected up to %i elements', async (max) => {
    for (let i = 0; i < 5; i++) await store.createPet(rex);
    expect((await store.listPets().collect({ max })).length).toBe(max);
    // At most one page is requested ahead.
    expect(fake.requests.filter(({ operation }) => operation === 'listPets').length).toBeLessThanOrEqual(max / 2 + 2);
  });
});

const headers = { authorization: 'Bearer k' };
test.each<[string, Parameters<typeof fake.fetch>, number]>([
  ['no key', ['http://127.0.0.1:8080/v1/pets'], 401],
  ['no such path', ['http://127.0.0.1:8080/v1/dogs', { headers }], 404],
  ['no such base path', ['http://127.0.0.1:8080/pets', {}], 404],
  ['another method', ['http://127.0.0.1:8080/v1/pets', { method: 'PUT', headers }], 405],
  ['a malformed path', ['http://127.0.0.1:8080/v1/pets/%zz', { headers }], 400],
])('a request with %s is rejected', async (_, request, status) => {
  expect((await fake.fetch(...request)).status).toBe(status);
});

test.each([
  [{ name: 'x' }, "body 'categoryId' is missing"],
  [{ name: 'x', categoryId: 'one' }, "body 'categoryId' is no integer"],
  [{ name: 'x', categoryId: 1, id: 7 }, "body 'id': there is no such property"],
  [{ name: 'x', categoryId: 1, status: 'lost' }, "body 'status' is none of available, pending, sold"],
])('the body %j is rejected', async (input, message) => {
  await expect(store.createPet(input as never)).rejects.toMatchObject({
    code: 'invalid_request',
    status: 400,
    message,
  });
});

test.each([{ limit: 0 }, { limit: 101 }, { limit: '01' }, { stauts: 'sold' }, { status: ['sold', 'pending'] }])(
  'the query %j is rejected',
  async (input) => {
    await expect(store.listPets(input as never)).rejects.toMatchObject({ status: 400 });
  },
);

test('every response has its own identifier, also the response of an error', async () => {
  const { response } = await store.listPets().withResponse();
  const error = await store.getPet({ petId: 7 }).catch((reason: NotFoundError) => reason);
  const ids = [response.headers.get('x-request-id'), (error as NotFoundError).requestId];
  expect(ids).toEqual([expect.stringMatching(/^fake-\d+$/), expect.stringMatching(/^fake-\d+$/)]);
  expect(ids[0]).not.toBe(ids[1]);
});

describe('an interruption can', () => {
  test('fail requests', async () => {
    fake.next('listPets', { status: 503, headers: { 'retry-after': '0' } }, { status: 401, message: 'Revoked.' });
    await expect(store.listPets()).rejects.toThrow(UnauthorizedError);
    expect(fake.requests.length).toBe(2);
    expect(await store.listPets()).toEqual([]);
  });

  test('lose a response: the create is retried and executed once', async () => {
    fake.next('createPet', { disconnect: 'after' }, { disconnect: 'before' });
    await store.createPet(rex);
    expect(fake.requests.length).toBe(3);
    expect(await store.listPets()).toEqual([{ id: 1, ...rex }]);
  });

  test.each([10_000, Number.POSITIVE_INFINITY])('delay a response by %d ms', async (delay) => {
    fake.next('listPets', { delay });
    await expect(store.listPets({}, { timeout: 20 })).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('replace the text of a response', async () => {
    fake.next('listPets', { text: '<html>' }, { status: 400, text: '<html>' });
    await expect(store.listPets()).rejects.toMatchObject({ name: 'UnexpectedResponseError', body: '<html>' });
    await expect(store.listPets()).rejects.toMatchObject({ name: 'InvalidRequestError', body: '<html>' });
  });

  test.each([{}, { status: 400 }])('add headers to a response: %j', async (interruption) => {
    fake.next('listPets', { ...interruption, headers: { etag: '"1"' } });
    const response = await fake.fetch('http://127.0.0.1:8080/v1/pets', { headers });
    expect(response.headers.get('etag')).toBe('"1"');
  });
});

test('of several paths that match, the one with most text beside its parameters is called', () => {
  const paths = ['/a/{b}', '/a/{b}.{c}', '/a/{b}.json', '/a/list'];
  const all = paths.map((path): Operation => ({ ...operations.getPet, path }));
  const routed = ['/a/1', '/a/1.csv', '/a/1.json', '/a/list'].map((path) => routesOf(all, path)[0]?.operation.path);
  expect(routed).toEqual(paths);
});

test('handlers replace operations', async () => {
  const other = fakeService({ handlers: { listPets: async () => [{ id: 7, ...rex }] } });
  expect(await other.store.listPets()).toEqual([{ id: 7, ...rex }]);
});

test('handlers may be methods of a class', async () => {
  class Pets {
    readonly pets = [{ id: 7, ...rex }];
    async listPets() {
      return this.pets;
    }
  }
  expect(await fakeService({ handlers: new Pets() }).store.listPets()).toEqual([{ id: 7, ...rex }]);
});

test('a handler runs once for requests with one idempotency key, also at the same time, but again after an error', async () => {
  let runs = 0;
  const add: Api['createPet'] = async ({ name, categoryId }) => {
    runs++;
    await nextTurn();
    if (name === 'Tom') throw Object.assign(new Error('no'), { status: 400 });
    return { id: runs, name, categoryId };
  };
  const other = fakeService({ handlers: { createPet: add } }).store;
  const twice = [1, 2].map(() => other.createPet(rex, { idempotencyKey: 'a' }));
  expect((await Promise.all(twice)).map(({ id }) => id)).toEqual([1, 1]);
  await expect(other.createPet({ ...rex, name: 'Tom' }, { idempotencyKey: 'b' })).rejects.toMatchObject({
    status: 400,
  });
  expect(await other.createPet(rex, { idempotencyKey: 'b' })).toMatchObject({ id: 3 });
});

test('an idempotency key of another request is rejected', async () => {
  await store.createPet(rex, { idempotencyKey: 'a' });
  const { data, response } = await store.createPet(rex, { idempotencyKey: 'a' }).withResponse();
  expect([data.id, response.headers.get('idempotency-replayed')]).toEqual([1, 'true']);
  const { name, ...others } = rex;
  expect(await store.createPet({ ...others, name }, { idempotencyKey: '"a"' })).toEqual(data);
  const other = store.createPet({ ...rex, name: 'Tom' }, { idempotencyKey: 'a' });
  await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' });
});

test('an idempotency key belongs to its caller', async () => {
  const others = store.withOptions({ apiKey: 'another-key' });
  const created = [store, others, store].map((one) => one.createPet(rex, { idempotencyKey: 'a' }));
  expect((await Promise.all(created)).map(({ id }) => id)).toEqual([1, 2, 1]);
});

test('with the option apiKey, only that key is accepted', async () => {
  const { fetch, store: own } = fakeService({ apiKey: 'right' });
  expect(await own.listPets()).toEqual([]);
  await expect(petstore({ apiKey: 'wrong', fetch }).listPets()).rejects.toThrow(UnauthorizedError);
});

test.each<[Pagination, unknown]>([
  [{ by: 'link' }, { data: [{ id: 1 }], next: 1 }],
  [
    { by: 'link', items: 'pets' },
    { data: { pets: [{ id: 1 }] }, next: 1 },
  ],
  [{ by: 'last', items: 'pets', more: 'more' }, { data: { pets: [{ id: 1 }], more: true } }],
  [{ by: 'body', items: 'pets', next: 'cursor' }, { data: { pets: [{ id: 1 }], cursor: 1 } }],
  [{ by: 'body', items: 'pets', next: 'cursor', more: 'more' }, { data: { pets: [{ id: 1 }], more: true, cursor: 1 } }],
])('a page with the rule %j leads to the next one', (pagination, page) => {
  const create: Operation = operations.createPet;
  const list: Operation = { ...operations.listPets, pagination };
  const resources = new Resources([create, list], 1);
  for (let i = 0; i < 2; i++) resources.run(create, create.path, {});
  expect(resources.run(list, list.path, {})).toEqual(page);
});

test('a patch of a document is a JSON merge patch', () => {
  const create: Operation = operations.createPet;
  const json = { kind: 'json', mediaType: 'application/merge-patch+json', required: true, whole: true } as const;
  const patch: Operation = { ...operations.getPet, method: 'PATCH', body: json };
  const resources = new Resources([create, patch], 1);
  resources.run(create, create.path, { name: null, deep: { a: 1, b: 2 } });
  const body = { deep: { a: null, c: { d: null } }, absent: null };
  expect(resources.run(patch, '/pets/1', { petId: 1, body })).toEqual({
    data: { id: 1, name: null, deep: { b: 2, c: {} } },
  });
});

test('identifiers are texts if the response says so', () => {
  const schema = { type: 'object', properties: { id: { type: 'string' } } } as const;
  const created = { description: 'Created.', kind: 'json', schema } as const;
  const create: Operation = { ...operations.createPet, responses: { '201': created } };
  const resources = new Resources([create, operations.getPet], 1);
  expect(resources.run(create, create.path, {})).toEqual({ data: { id: '1' } });
  expect(resources.run(operations.getPet, '/pets/1', { petId: '1' })).toEqual({ data: { id: '1' } });
});

test('a document may have properties, and a list may have filters, that are named like those of every object', () => {
  const create: Operation = { ...operations.createPet, body: { ...operations.createPet.body, additional: true } };
  const byConstructor = { in: 'query', required: false, description: 'One.', schema: { type: 'string' } } as const;
  const list: Operation = { ...operations.listPets, fields: { constructor: byConstructor } };
  const resources = new Resources([create, list], 2);
  const document = { name: 'x', constructor: 'y' };
  expect(resources.run(create, create.path, document)).toEqual({ data: { id: 1, ...document } });
  expect(resources.run(list, list.path, {})).toEqual({ data: [{ id: 1, ...document }] });
  expect(resources.run(list, list.path, { constructor: 'z' })).toEqual({ data: [] });
});

test('a violation within a property is located in it', async () => {
  const tags = {
    in: 'body',
    required: false,
    description: '',
    schema: { type: 'array', items: { type: 'string' } },
  } as const;
  const body = { kind: 'json', mediaType: 'application/json', required: true } as const;
  const headers = { 'content-type': body.mediaType };
  const request = new Request('http://pets.test', { method: 'POST', headers, body: '{"tags":[5]}' });
  await expect(readBody({ fields: { tags }, body }, request)).rejects.toThrow("body 'tags'[0] is 5, no string");
});

test('an additional property of a body does not become the parameter of the same name', async () => {
  const force = { in: 'query', required: false, description: '', schema: { type: 'boolean' } } as const;
  const body = { kind: 'json', mediaType: 'application/json', required: true, additional: true } as const;
  const headers = { 'content-type': body.mediaType };
  const request = new Request('http://pets.test', { method: 'POST', headers, body: '{"force":"x","size":1}' });
  expect(await readBody({ fields: { force }, body }, request)).toEqual({ size: 1 });
});

describe('a body that is one input', () => {
  const bodyOf = async (kind: 'text' | 'bytes', mediaType: string, body?: string | Blob, schema: Schema = {}) => {
    const fields = { body: { in: 'body', required: false, description: '', schema } } as const;
    const request = new Request('http://pets.test', { method: 'POST', ...(body !== undefined && { body }) });
    return (await readBody({ fields, body: { kind, mediaType, required: false, whole: true } }, request)).body;
  };

  test('is checked by its schema', async () => {
    const schema = { type: 'string', maxLength: 3 } as const;
    expect(await bodyOf('text', 'text/plain', 'Rex', schema)).toBe('Rex');
    await expect(bodyOf('text', 'text/plain', 'Rexy', schema)).rejects.toMatchObject({ status: 400 });
    expect(await bodyOf('text', 'text/plain', '5', { type: 'integer' })).toBe(5);
  });

  test('is rejected in another media type', async () => {
    const photo = new Blob(['x'], { type: 'image/png' });
    expect(await bodyOf('bytes', 'image/*', photo)).toBeInstanceOf(Blob);
    expect(await bodyOf('bytes', 'application/octet-stream', photo)).toBeInstanceOf(Blob);
    await expect(bodyOf('bytes', 'video/*', photo)).rejects.toMatchObject({ status: 415 });
    await expect(bodyOf('text', 'text/csv', 'Rex')).rejects.toMatchObject({ status: 415 });
  });

  test('may be absent if it is optional', async () => {
    expect(await bodyOf('text', 'text/plain')).toBeUndefined();
  });
});
