// A request with an idempotency key is done once, whatever happens on the way.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { newFolder, rounds } from '@petstore/testing';
import { operations } from '@petstore/types';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { keysFrom, memoryStore, openLowdbStore, type Store, StoredDocument } from '../src/index.ts';
import { type Listening, listen, listenForTest, modes, withFunctions } from './listening.ts';

const { header, schema } = operations.createPet.idempotencyKey;
const rex = '{"name":"Rex","categoryId":2,"status":"sold"}';
const keys = keysFrom('one=first-key-for-tests,two=second-key-for-tests');

async function create(origin: string, key?: string, body = rex, apiKey = 'first-key-for-tests') {
  const response = await fetch(`${origin}/v1/pets`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      ...(key !== undefined && { [header]: key }),
    },
    body,
  });
  const { status, headers } = response;
  return {
    status,
    text: await response.text(),
    replayed: headers.get('idempotency-replayed'),
    headers,
  };
}

describe.each(modes)('%s', (_, options) => {
  let server: Listening;
  let store: Store;
  const send = (...rest: [key: string | undefined, body?: string, apiKey?: string]) =>
    create(server.origin, ...rest);
  beforeEach(async () => {
    store = await openLowdbStore(newFolder());
    server = await listen({ ...options, keys }, store);
  });
  afterEach(async () => {
    await server.stop();
    await store.close();
  });

  test('a repeated request gets the same response, and is done once, also after a restart', async () => {
    const folder = newFolder();
    let first: unknown;
    for (let start = 0; start < 2; start++) {
      const own = await openLowdbStore(folder);
      const { origin, stop } = await listen({ ...options, keys }, own);
      if (start === 0) {
        const { headers: _, ...created } = await create(origin, 'k');
        expect(created).toMatchObject({ status: 201, replayed: null });
        first = { ...created, replayed: 'true' };
      }
      for (const key of ['k', '"k"'])
        expect(await create(origin, key)).toMatchObject(first as object);
      expect(await own.nextId('pets')).toBe(2);
      await stop();
      await own.close();
    }
  });

  test.each([
    ['another order of members', '{"status":"sold","categoryId":2,"name":"Rex"}'],
    ['white space', ' {\n"name" : "Rex",\t"categoryId":2, "status":"sold"}\n'],
    ['another way to write a number', '{"name":"Rex","categoryId":2.0,"status":"sold"}'],
  ])('%s is the same request', async (_, body) => {
    await send('k');
    expect(await send('k', body)).toMatchObject({ status: 201, replayed: 'true' });
  });

  test('a key that another request has used is refused, also if only digits beyond 2^53 differ', async () => {
    const body = (digits: string) => `{"name":"Rex","categoryId":${digits}}`;
    await send('k', body('9007199254740993'));
    const refused = await send('k', body('9007199254740995'));
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([
      422,
      'idempotency_key_reused',
    ]);
    expect((await send('k', body('9007199254740993'))).replayed).toBe('true');
  });

  test('the same idempotency key of another API key is another key', async () => {
    await send('k');
    expect(await send('k', rex, 'second-key-for-tests')).toMatchObject({
      status: 201,
      replayed: null,
    });
  });

  test('a refused request stores no key', async () => {
    expect((await send('k', '{"name":"Rex"}')).status).toBe(400);
    expect(await send('k')).toMatchObject({ status: 201, replayed: null });
  });

  test.each(['', 'a b', 'x'.repeat(256), '""', '"a'])(
    'the key %j is refused by its name',
    async (key) => {
      const { status, text } = await send(key);
      expect([status, JSON.parse(text).message]).toEqual([
        400,
        `header '${header}': it must match ${schema.pattern}, as a UUID does`,
      ]);
    },
  );

  test('while a request is running, others with its key get 409, and those of another caller do not', async () => {
    const started = Promise.withResolvers<void>();
    const finished = Promise.withResolvers<void>();
    const slowly = async () => {
      started.resolve();
      await finished.promise;
      return new StoredDocument('{"id":1,"name":"Rex","categoryId":2}');
    };
    const { origin } = await listenForTest(
      { ...options, keys },
      withFunctions(store, { create: slowly }),
    );
    const all = [create(origin, 'k')];
    await started.promise;
    for (const body of [rex, '{"name":"Tom","categoryId":1}']) {
      const { status, headers, text } = await create(origin, 'k', body);
      expect([status, headers.get('retry-after'), JSON.parse(text).code]).toEqual([
        409,
        '1',
        'request_in_flight',
      ]);
    }
    all.push(
      create(origin, 'k', rex, 'second-key-for-tests'),
      create(origin, 'other'),
      create(origin),
    );
    finished.resolve();
    all.push(create(origin, 'another'));
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 201));
    expect((await create(origin, 'k')).status).toBe(201);
  });
});

test('after 24 hours, a key is forgotten, and its request is done again', async () => {
  let now = Date.now();
  const store = memoryStore({ clock: () => now });
  const { origin } = await listenForTest({ keys }, store);
  const first = await create(origin, 'k');
  now += 24 * 3_600_000 - 1000;
  expect(await create(origin, 'k')).toMatchObject({ text: first.text, replayed: 'true' });
  now += 2000;
  const again = await create(origin, 'k');
  expect([again.status, again.replayed, again.text === first.text]).toEqual([201, null, false]);
});

test('through a proxy that drops, cuts and repeats at random, every pet is created exactly once', async () => {
  const store = await openLowdbStore(newFolder());
  onTestFinished(() => store.close());
  const server = await listenForTest({ keys }, store);
  const origin = await badProxy(server.origin);
  const count = rounds(30, 3000);
  const waiting = Array.from({ length: count }, (_, i) => i).values();
  const ids = new Map<number, number>();
  let tries = 0;
  /** Creates pet `i`. Whether there was a success. */
  const tryToCreate = async (i: number) => {
    tries++;
    const body = `{"name":"pet ${i}","categoryId":${i}}`;
    const response = await create(origin, `key-${i}`, body).catch(() => undefined);
    if (!response) return false;
    // A request that is still running refuses none of its repetitions for good.
    expect([201, 409]).toContain(response.status);
    if (response.status === 201) ids.set(i, JSON.parse(response.text).id);
    return response.status === 201;
  };
  const writers = Array.from({ length: 12 }, async () => {
    for (const i of waiting) while (!(await tryToCreate(i)));
  });
  await Promise.all(writers);
  expect(tries).toBeGreaterThan(count);
  const { json } = await store.collection('pets').list({ after: 0, limit: 2 * count });
  const stored: { id: number; categoryId: number }[] = JSON.parse(json);
  expect(stored.map(({ id, categoryId }) => [categoryId, id]).sort()).toEqual([...ids].sort());
});

/** Starts a proxy in front of a server that spoils half of its connections, until the test ends. Returns its origin. */
async function badProxy(origin: string): Promise<string> {
  const sockets: Socket[] = [];
  const open = () => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    return socket;
  };
  const proxy = createServer((client) => {
    sockets.push(client.on('error', () => {}));
    const fate = ['', '', '', 'refused', 'cut', 'response lost', 'repeated'][
      Math.floor(Math.random() * 7)
    ];
    if (fate === 'refused') {
      client.destroy();
      return;
    }
    const server = open().on('close', () => client.destroy());
    client.on('close', () => server.destroySoon());
    client.on('data', (bytes: Buffer) => {
      server.write(fate === 'cut' ? bytes.subarray(0, Math.random() * bytes.length) : bytes);
      if (fate === 'cut') server.end(() => client.destroy());
      if (fate === 'repeated') open().resume().end(bytes);
    });
    server.on('data', (bytes) =>
      fate === 'response lost' ? client.destroy() : client.write(bytes),
    );
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
