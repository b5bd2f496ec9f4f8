import { newFolder } from '@petstore/testing';
import { operations } from '@petstore/types';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keysFrom, openLowdbStore, type Store } from '../src/index.ts';
import { type Listening, listen, modes, withFunctions } from './listening.ts';

const { header } = operations.createPet.idempotencyKey;
const rex = '{"name":"Rex","categoryId":2,"status":"sold"}';
const keys = keysFrom('one=first-key-for-tests,two=second-key-for-tests');

describe.each(modes)('%s', (_, options) => {
  let server: Listening;
  let store: Store;
  beforeEach(async () => {
    store = await openLowdbStore(newFolder());
    server = await listen({ ...options, keys }, store);
  });
  afterEach(async () => {
    await server.stop();
    await store.close();
  });

  async function create(key: string | undefined, body = rex, apiKey = 'first-key-for-tests', to = server) {
    const response = await fetch(`${to.baseUrl}/pets`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        ...(key !== undefined && { [header]: key }),
      },
      body,
    });
    const text = await response.text();
    return { status: response.status, text, replayed: response.headers.get('idempotency-replayed') };
  }

  test('a repeated request gets the same response, and is done once', async () => {
    const first = await create('k');
    expect(first).toMatchObject({ status: 201, replayed: null });
    for (const key of ['k', '"k"']) expect(await create(key)).toEqual({ ...first, replayed: 'true' });
    expect(await store.nextId('pets')).toBe(2);
  });

  test.each([
    ['another order of members', '{"status":"sold","categoryId":2,"name":"Rex"}'],
    ['white space', ' {\n"name" : "Rex",\t"categoryId":2, "status":"sold"}\n'],
    ['another way to write a number', '{"name":"Rex","categoryId":2.0,"status":"sold"}'],
  ])('%s is the same request', async (_, body) => {
    await create('k');
    expect(await create('k', body)).toMatchObject({ status: 201, replayed: 'true' });
  });

  test('a key that another request has used is refused, also if only digits beyond 2^53 differ', async () => {
    const body = (digits: string) => `{"name":"Rex","categoryId":${digits}}`;
    await create('k', body('9007199254740993'));
    expect((await create('k', body('9007199254740995'))).status).toBe(422);
    expect((await create('k', body('9007199254740993'))).replayed).toBe('true');
  });

  test('the same idempotency key of another API key is another key', async () => {
    await create('k');
    expect(await create('k', rex, 'second-key-for-tests')).toMatchObject({ status: 201, replayed: null });
  });

  test('a refused request stores no key', async () => {
    expect((await create('k', '{"name":"Rex"}')).status).toBe(400);
    expect(await create('k')).toMatchObject({ status: 201, replayed: null });
  });

  test.each(['', 'a b', 'x'.repeat(256), '""', '"a'])('the key %j is refused', async (key) => {
    expect((await create(key)).status).toBe(400);
  });

  test('too many requests with one key at a time get 409', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = withFunctions(store, {
      create: () => promise.then(() => ({ json: '{"id":1,"name":"x","categoryId":1}' })),
    });
    const other = await listen({ ...options, keys }, slow);
    const all = Array.from({ length: 11 }, () => create('k', rex, undefined, other));
    expect((await Promise.race(all)).status).toBe(409);
    resolve();
    expect((await Promise.all(all)).filter(({ status }) => status === 201)).toHaveLength(10);
    await other.stop();
  });

  test('concurrent requests with one key add one pet', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => create('k')));
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
    expect(all.filter(({ replayed }) => replayed === null)).toHaveLength(1);
  });
});
