import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newFolder } from '@petstore/testing';
import { apiKey } from '@petstore/testing/server';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { rejectingMalformed } from '../../src/app.ts';
import { allCollections } from '../../src/collections.ts';
import { expressApp } from '../../src/http/express-app.ts';
import { fastPath } from '../../src/http/fast-path.ts';
import { type Listener, listen } from '../../src/http/listen.ts';
import { createPipeline } from '../../src/http/request-pipeline.ts';
import { parseTarget, TargetCache } from '../../src/http/target-cache.ts';
import { keyCheck } from '../../src/keys/check-keys.ts';
import { parseKeys } from '../../src/keys/parse-keys.ts';
import { MAX_CACHED_TARGETS, MAX_TARGET_LENGTH } from '../../src/limits.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import type { Store } from '../../src/store/store.ts';
import { listenOptions } from '../listen.ts';
import { openWire, raw } from './wire.ts';

const listeners: Listener[] = [];
const folder = newFolder('store', afterAll);
let store: Store;
let app: RequestListener;
let fast: Listener;
let express: Listener;
let targetCache: TargetCache;

beforeAll(async () => {
  store = await openLowdbStore(folder, allCollections);
  for (let i = 0; i < 100; i++) await create(`Ünï ${i} 🐈`.padEnd(500, '.'));
  const pipeline = createPipeline(store, { keys: keyCheck(parseKeys(apiKey)) });
  ({ targetCache } = pipeline);
  const slow = expressApp(pipeline);
  app = fastPath(pipeline, slow);
  fast = await listen(app, listenOptions);
  express = await listen(rejectingMalformed(pipeline, slow), listenOptions);
  listeners.push(fast, express);
});
afterAll(async () => {
  for (const listener of listeners) await listener.drain(0);
  await store.close();
});

const create = (name: string) => store.collection('pets').create({ name, categoryId: 1, status: 'sold' });

const get = (path: string, id?: string, more = '') =>
  `GET /v1${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${apiKey}\r\n${id ? `X-Request-Id: ${id}\r\n` : ''}${more}\r\n`;

/** The responses of a server over one keep-alive connection. */
async function responses({ origin }: Pick<Listener, 'origin'>, requests: readonly string[]) {
  const wire = openWire(origin);
  for (const [i, request] of requests.entries()) {
    wire.send(request);
    await wire.until(i + 1);
  }
  wire.socket.destroy();
  return wire.responses().map(({ headers, ...rest }) => ({
    ...rest,
    headers: [...headers].filter(([name]) => name !== 'date'),
  }));
}

test('a handler cannot change the input that requests with the same URL share', () => {
  const input = { limit: 2, ids: [3, 1] };
  new TargetCache().add('/v1/pets?limit=2', parseTarget('/v1/pets?limit=2'), input);
  expect(() => Object.assign(input, { limit: 1 })).toThrow(TypeError);
  expect(() => input.ids.sort()).toThrow(TypeError);
});

test.each(['/pets', '/pets?limit=3', '/pets?status=sold&after=7&limit=2', '/pets/1', '/pets/42'])(
  'a cached response equals that of the Express app, and has the identifier of its request: %s',
  async (path) => {
    const ids = [randomUUID(), randomUUID(), randomUUID(), 'short', randomUUID()];
    const requests = ids.map((id) => get(path, id));
    const before = targetCache.size.bytes;
    const fastResponses = await responses(fast, requests);
    expect(fastResponses).toEqual(await responses(express, requests));
    expect(fastResponses.map(({ headers }) => new Map(headers).get('x-request-id'))).toEqual(ids);
    expect(targetCache.size.bytes).toBeGreaterThan(before);
  },
);

test('a cached response serves only plain requests for its operation', async () => {
  const body = '{"name":"Rex","categoryId":2}';
  const others = [
    get('/pets').replace('GET', 'HEAD'),
    get('/pets').replace('GET', 'DELETE'),
    get('/pets').replace(apiKey, 'another'),
    get('/pets', undefined, 'If-None-Match: *\r\n'),
    get('/pets', undefined, `Content-Length: ${body.length}\r\n`) + body,
  ];
  for (const other of others) {
    await responses(fast, [get('/pets'), get('/pets'), get('/pets')]);
    const request = other.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    const [actual, expected] = [await raw(fast.origin, request), await raw(express.origin, request)];
    for (const { headers } of [actual, expected]) for (const name of ['date', 'x-request-id']) headers.delete(name);
    expect(actual).toEqual(expected);
  }
});

test('bytes that are no request get an error after a cached response', async () => {
  const wire = openWire(fast.origin);
  wire.send(get('/pets').repeat(4));
  await wire.until(4);
  wire.send('no request\r\n\r\n');
  expect((await wire.ended()).map(({ status }) => status)).toEqual([200, 200, 200, 200, 400]);
});

test('in a plain Node server, the app sends the same bytes', async () => {
  const foreign = createServer({ keepAliveTimeout: 65_000 }, app).listen(0, '127.0.0.1');
  await once(foreign, 'listening');
  const { port } = foreign.address() as AddressInfo;
  const id = randomUUID();
  const requests = [get('/pets', id), get('/pets', id), get('/pets', id), get('/pets/1', id)];
  try {
    expect(await responses({ origin: `http://127.0.0.1:${port}` }, requests)).toEqual(await responses(fast, requests));
  } finally {
    foreign.close();
  }
});

test('a write invalidates the cached responses', async () => {
  const path = '/pets?limit=100&after=99';
  const send = () => responses(fast, [get(path), get(path), get(path)]);
  const before = await send();
  for (let i = 0; i < 20; i++) {
    const { id } = await create(`new ${i}`);
    for (const { body } of await send()) expect(JSON.parse(body).at(-1)).toMatchObject({ id, name: `new ${i}` });
  }
  expect(before.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('a cached response has the date of the current second, also if it is cached when a second ends', async () => {
  let now = Date.now();
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
    now += 1000;
    return now;
  });
  onTestFinished(() => clock.mockRestore());
  // The raw bytes, because the lines of a broken response could not be parsed.
  const { send, socket } = openWire(fast.origin, { reads: false });
  send(get('/pets?limit=7').repeat(4) + get('/pets?limit=7', undefined, 'Connection: close\r\n'));
  const text = Buffer.concat(await socket.toArray()).toString();
  expect(text.match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(5);
  expect(new Set(text.match(/^Date: .+$/gm)).size).toBe(5);
});

test('a response that waits for a slow client is not changed by the next request', async () => {
  const count = 400;
  const path = '/pets?limit=90';
  const ids = Array.from({ length: count }, () => randomUUID());
  const slow = openWire(fast.origin);
  slow.socket.pause();
  slow.send(ids.map((id) => get(path, id)).join(''));
  for (let i = 0; i < 50; i++) await responses(fast, [get(path), get(path), get(path)]);
  slow.socket.resume();
  const slowResponses = await slow.until(count);
  expect(slowResponses.map(({ headers }) => headers.get('x-request-id'))).toEqual(ids);
  expect(new Set(slowResponses.map(({ body }) => body)).size).toBe(1);
  slow.socket.destroy();
}, 60_000);

test('cached targets are bounded in number, length and the bytes of their responses', () => {
  const bounded = new TargetCache(1000);
  const add = (text: string, bytes: number) => {
    const target = parseTarget(text);
    bounded.add(text, target, {});
    const state = { collection: { version: () => '1' }, version: '1' };
    const response = { status: 200, bytes: Buffer.alloc(bytes), idAt: 0, dateAt: 0, date: '', state };
    bounded.setResponse(target, response);
  };
  for (let i = 0; i < 20; i++) add(`/v1/pets/${i}`, 100);
  expect(bounded.size).toEqual({ targets: 10, bytes: 1000 });
  expect([bounded.get('/v1/pets/9'), bounded.get('/v1/pets/10')]).toEqual([undefined, expect.anything()]);
  add(`/v1/pets?${'x'.repeat(MAX_TARGET_LENGTH)}`, 100);
  expect(bounded.size).toEqual({ targets: 10, bytes: 1000 });
  for (let i = 0; i < 2 * MAX_CACHED_TARGETS; i++) add(`/v1/pets/${i}`, 0);
  expect(bounded.size).toEqual({ targets: MAX_CACHED_TARGETS, bytes: 0 });
});
