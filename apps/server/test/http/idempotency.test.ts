import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { operations } from '@petstore/types';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { allCollections } from '../../src/collections.ts';
import { keyCheck } from '../../src/keys/check-keys.ts';
import { parseKeys } from '../../src/keys/parse-keys.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { memoryStore } from '../../src/store/memory.ts';
import type { Collection, Store } from '../../src/store/store.ts';
import { type Listening, listen, modes } from '../listen.ts';
import { expectSameResponse } from './replay.ts';

const { header } = operations.createPet.idempotencyKey;
const rex = '{"name":"Rex","categoryId":2,"status":"sold"}';

interface CreateOptions {
  key?: string;
  body?: string;
  apiKey?: string;
  headers?: Record<string, string>;
}

describe.each(modes)('%s', (_, options) => {
  let server: Listening;
  let store: Store;
  beforeEach(async () => {
    store = await openLowdbStore(newFolder(), allCollections);
    server = await listen(
      { ...options, keys: keyCheck(parseKeys('one=first-key-for-tests,two=second-key-for-tests')) },
      store,
    );
  });
  afterEach(async () => {
    await server.close();
    await store.close();
  });

  async function create({ key, body = rex, apiKey = 'first-key-for-tests', headers }: CreateOptions, to = server) {
    const response = await fetch(`${to.baseUrl}/pets`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        ...(key !== undefined && { [header]: key }),
        ...headers,
      },
      body,
    });
    const replayed = response.headers.get('idempotency-replayed');
    const data: { id?: number; code?: string; message?: string } = Object(await response.json());
    return { status: response.status, body: data, replayed, headers: response.headers };
  }
  const count = async () => (await store.collection('pets').list({ after: 0, limit: 1000 })).count;

  test('a repeated request gets the same response, and is done once', async () => {
    const first = await create({ key: 'k' });
    expect(first).toMatchObject({ status: 201, body: { id: 1, name: 'Rex' }, replayed: null });
    for (const key of ['k', '"k"']) {
      const again = await create({ key });
      expect([again.status, again.body, again.replayed]).toEqual([201, first.body, 'true']);
    }
    expect(await count()).toBe(1);
  });

  test('a request without a key, or with another key, is another request', async () => {
    const all = [await create({}), await create({}), await create({ key: 'a' }), await create({ key: 'b' })];
    expect(all.map(({ body, replayed }) => [body.id, replayed])).toEqual([1, 2, 3, 4].map((id) => [id, null]));
  });

  test.each([
    ['another order of members', '{"status":"sold","categoryId":2,"name":"Rex"}'],
    ['white space', ' {\n"name" : "Rex",\t"categoryId":2, "status":"sold"}\n'],
    ['escapes', '{"n\\u0061me":"R\\u0065x","categoryId":2,"status":"sold"}'],
    ['another way to write a number', '{"name":"Rex","categoryId":2.0,"status":"sold"}'],
  ])('%s is the same request', async (_, body) => {
    const first = await create({ key: 'k' });
    const again = await create({ key: 'k', body });
    expect([again.status, again.body, again.replayed]).toEqual([201, first.body, 'true']);
  });

  test.each([
    '{"name":"Tom","categoryId":2,"status":"sold"}',
    '{"name":"Rex","categoryId":3,"status":"sold"}',
    '{"name":"Rex","categoryId":2}',
    '{"name":"Rex ","categoryId":2,"status":"sold"}',
  ])('a key that another request has used is rejected: %s', async (body) => {
    await create({ key: 'k' });
    const other = await create({ key: 'k', body });
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused', status: 422 }, replayed: null });
    expect(await count()).toBe(1);
    expect((await create({ key: 'k' })).replayed).toBe('true');
  });

  test('requests with different integers beyond 2^53 are different', async () => {
    const body = (digits: string) => `{"name":"Rex","categoryId":${digits}}`;
    await create({ key: 'k', body: body('9007199254740993') });
    expect((await create({ key: 'k', body: body('9007199254740992') })).status).toBe(422);
    expect((await create({ key: 'k', body: body('9007199254740993') })).body.id).toBe(1);
  });

  test('the same idempotency key of another API key is another key', async () => {
    await create({ key: 'k' });
    const other = await create({ key: 'k', apiKey: 'second-key-for-tests' });
    expect([other.status, other.body.id, other.replayed]).toEqual([201, 2, null]);
  });

  test('a rejected request stores no key', async () => {
    expect((await create({ key: 'k', body: '{"name":"Rex"}' })).status).toBe(400);
    expect((await create({ key: 'k', body: '{' })).status).toBe(400);
    expect((await create({ key: 'k', apiKey: 'nobody' })).status).toBe(401);
    expect((await create({ key: 'k', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect(await create({ key: 'k' })).toMatchObject({ status: 201, replayed: null });
  });

  test.each(['', 'a b', 'é', 'x'.repeat(256), '"', '""', '"a', '"a"b"', '"a";x=1', `"${'x'.repeat(256)}"`, '"\\x"'])(
    'the key %j is rejected',
    async (key) => {
      const { status, body } = await create({ key });
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.message).toMatch(/^header 'idempotency-key': it is not a valid key: send a UUID/i);
      expect(await count()).toBe(0);
    },
  );

  test.each([
    ['a', '"a"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['!#$%&()*+,-./:;<=>?@[]^_`{|}~', '"!#$%&()*+,-./:;<=>?@[]^_`{|}~"'],
    ['x'.repeat(255), `"${'x'.repeat(255)}"`],
  ])('the bare key %s and the quoted one are the same', async (bare, quoted) => {
    expect(await create({ key: bare })).toMatchObject({ status: 201, replayed: null });
    expect(await create({ key: quoted })).toMatchObject({ status: 201, replayed: 'true' });
  });

  test('concurrent repetitions create one pet: each gets it, or a 409 with Retry-After', async () => {
    const all = await Promise.all(Array.from({ length: 40 }, () => create({ key: 'k' })));
    for (const { status, body, headers } of all) {
      if (status === 409) expect([body.code, headers.get('retry-after')]).toEqual(['request_in_flight', '1']);
      else expect([status, body.id]).toEqual([201, 1]);
    }
    expect(await count()).toBe(1);
    expect((await create({ key: 'k' })).body.id).toBe(1);
  });

  test('the number of concurrent repetitions is bounded: more get a 409', async () => {
    const memory = memoryStore(allCollections);
    const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
    const pets = memory.collection('pets');
    const slow: Collection = { ...pets, create: (...input) => isOpen.then(() => pets.create(...input)) };
    const own = await listen(options, { ...memory, collection: () => slow });
    onTestFinished(() => void own.close());
    const call = () => create({ key: 'k', apiKey: own.apiKey }, own);
    const waiting = Array.from({ length: 5 }, call);
    const rejected = await Promise.race(waiting);
    expect([rejected.status, rejected.body.code]).toEqual([409, 'request_in_flight']);
    // Requests with another key are not affected.
    const other = create({ key: 'other', apiKey: own.apiKey }, own);
    open();
    expect((await Promise.all(waiting)).map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 409]);
    expect((await other).status).toBe(201);
    expect((await memory.collection('pets').list({ after: 0, limit: 9 })).count).toBe(2);
  });

  test('a failed write stores no key', async () => {
    const folder = newFolder();
    const failing = await openLowdbStore(folder, allCollections, { maxSegment: 2000, onWarning: () => {} });
    const own = await listen(options, failing);
    onTestFinished(async () => {
      await own.close();
      await failing.close();
    });
    const send = (key: number) => create({ key: `k${key}`, apiKey: own.apiKey }, own);
    // A folder in the place of a file that the store writes before a new segment.
    const obstacle = join(folder, 'store.json.tmp');
    mkdirSync(obstacle);
    let [key, status] = [0, 201];
    while (status === 201) ({ status } = await send(++key));
    expect(status).toBe(503);
    rmSync(obstacle, { recursive: true });
    expect(await send(key)).toMatchObject({ status: 201, replayed: null });
    expect((await failing.collection('pets').list({ after: 0, limit: 1000 })).count).toBe(key);
  });
});

test.each([
  ['memory', async () => memoryStore(allCollections)],
  ['lowdb', () => openLowdbStore(newFolder(), allCollections)],
])('a repetition has the bytes of the first response: %s', async (_, open) => {
  await expectSameResponse(await open());
});
