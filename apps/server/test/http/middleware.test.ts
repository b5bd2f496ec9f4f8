import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { AppOptions } from '../../src/app.ts';
import { allCollections } from '../../src/collections.ts';
import { StoreUnavailableError, StoreUncertainError } from '../../src/store/errors.ts';
import { memoryStore } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/store.ts';
import { type Listening, listen, modes, withFunctions } from '../listen.ts';

describe.each(modes)('%s', (_, options) => {
  let server: Listening | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  async function start(more: Partial<AppOptions> = {}, store: Store = memoryStore(allCollections)) {
    server = await listen({ ...options, ...more }, store);
    const { baseUrl, origin, apiKey } = server;
    const get = (url: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { authorization: `Bearer ${apiKey}`, ...headers } });
    return { get, baseUrl, origin, apiKey };
  }

  function recordingLog() {
    const written: Record<string, unknown>[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        written.push(JSON.parse(String(chunk)));
        done();
      },
    });
    return { written, log: pino(stream) };
  }

  test('a request without a valid X-Request-Id gets one; a valid one is unchanged', async () => {
    const { get, baseUrl } = await start();
    expect((await get(`${baseUrl}/pets`, { 'x-request-id': 'abc-123' })).headers.get('x-request-id')).toBe('abc-123');
    expect((await get(`${baseUrl}/pets`)).headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    const tooLong = (await get(`${baseUrl}/pets`, { 'x-request-id': 'a'.repeat(500) })).headers.get('x-request-id');
    expect(tooLong).toMatch(/^[\da-f-]{36}$/);
  });

  test('each request is one log line, and no line contains the key', async () => {
    const { log, written } = recordingLog();
    const { get, baseUrl, apiKey } = await start({ log });
    await (await get(`${baseUrl}/pets?limit=3`, { 'x-request-id': 'one' })).text();
    await (await get(`${baseUrl}/pets/7`, { 'x-request-id': 'two' })).text();
    await expect.poll(() => written.length).toBe(2);
    expect(written).toMatchObject([
      { requestId: 'one', method: 'GET', path: '/v1/pets', operation: 'listPets', status: 200, ms: expect.any(Number) },
      { requestId: 'two', operation: 'getPet', status: 404 },
    ]);
    expect(JSON.stringify(written)).not.toContain(apiKey);
  });

  test('an aborted body is logged too', async () => {
    const { log, written } = recordingLog();
    const { origin, apiKey } = await start({ log });
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname);
    const head = `Host: x\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: 30`;
    socket.write(`POST /v1/pets HTTP/1.1\r\n${head}\r\n\r\n{"name":`, () => setImmediate(() => socket.destroy()));
    await expect.poll(() => written.length).toBe(1);
    expect(written).toMatchObject([{ method: 'POST', operation: 'createPet', status: 400 }]);
  });

  test('an internal error reveals no details, and is logged with the request', async () => {
    const { log, written } = recordingLog();
    const broken: Store = withFunctions(memoryStore(allCollections), {
      list: () => Promise.reject(new Error('secret plans')),
    });
    const { get, baseUrl } = await start({ log }, broken);
    const response = await get(`${baseUrl}/pets`, { 'x-request-id': 'it' });
    expect([response.status, await response.json()]).toEqual([
      500,
      { code: 'internal_error', message: expect.not.stringContaining('secret'), status: 500 },
    ]);
    const error = written.find(({ err }) => err !== undefined);
    expect(error).toMatchObject({ requestId: 'it', err: { message: 'secret plans' } });
  });

  test.each([undefined, null, 'text'])('an error that is %s is an internal error', async (reason) => {
    const broken: Store = withFunctions(memoryStore(allCollections), { list: () => Promise.reject(reason) });
    const { get, baseUrl } = await start({}, broken);
    expect((await get(`${baseUrl}/pets`)).status).toBe(500);
  });

  test('an unavailable store is a 503 with Retry-After', async () => {
    const full: Store = withFunctions(memoryStore(allCollections), {
      create: () => Promise.reject(new StoreUnavailableError('/data is full')),
    });
    const { get, baseUrl } = await start({}, full);
    const response = await get(
      `${baseUrl}/pets`,
      { 'content-type': 'application/json' },
      { method: 'POST', body: '{"name":"x","categoryId":1}' },
    );
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.text()).not.toContain('/data');
  });

  test('an unknown outcome of a write is a 503 with the code of an internal error, not `unavailable`', async () => {
    const unsure: Store = withFunctions(memoryStore(allCollections), {
      create: () => Promise.reject(new StoreUncertainError('it broke')),
    });
    const { get, baseUrl } = await start({}, unsure);
    const init = { method: 'POST', body: '{"name":"x","categoryId":1}' };
    const response = await get(`${baseUrl}/pets`, { 'content-type': 'application/json' }, init);
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'internal_error', status: 503 }]);
  });

  test('the health routes need no key, and /readyz is 503 while the server is not ready', async () => {
    let ready = true;
    const { origin } = await start({ isReady: async () => ready });
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    ready = false;
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect((await fetch(`${origin}/readyz`)).status).toBe(503);
  });

  test('/healthz returns 503 once the store has failed, because only a restart helps', async () => {
    const { origin } = await start({}, { ...memoryStore(allCollections), hasFailed: () => true });
    const response = await fetch(`${origin}/healthz`);
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'unavailable' }]);
  });

  test('requests are counted by operation and status', async () => {
    const { get, baseUrl, origin } = await start();
    await get(`${baseUrl}/pets`);
    await get(`${baseUrl}/pets/7`);
    await get(`${baseUrl}/nowhere`);
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    expect(metrics).toContain('petstore_requests_total{operation="listPets",status="200"} 1');
    expect(metrics).toContain('petstore_requests_total{operation="getPet",status="404"} 1');
    expect(metrics).toContain('petstore_requests_total{operation="none",status="404"} 1');
    expect(metrics).toContain('petstore_request_duration_seconds_count{operation="listPets"} 1');
    expect(metrics).toContain('nodejs_eventloop_lag_seconds');
  });

  test('only the configured origins may call', async () => {
    const preflight = {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.test', 'access-control-request-method': 'POST' },
    };
    const closed = await start();
    const rejected = await fetch(`${closed.baseUrl}/pets`, preflight);
    expect(rejected.headers.get('access-control-allow-origin')).toBeNull();
    await server?.close();

    const open = await start({ corsOrigins: ['https://shop.test'] });
    const allowed = await fetch(`${open.baseUrl}/pets`, preflight);
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, 'https://shop.test']);
    expect(allowed.headers.get('access-control-allow-headers')).toContain('Authorization');
    const limited = await start({ corsOrigins: ['https://shop.test'], bodyMemory: 0 });
    const body = JSON.stringify({ name: 'x'.repeat(9000), categoryId: 1 });
    const headers = { origin: 'https://shop.test', 'content-type': 'application/json' };
    const failed = await limited.get(`${limited.baseUrl}/pets`, headers, { method: 'POST', body });
    expect([failed.status, failed.headers.get('access-control-allow-origin')]).toEqual([503, 'https://shop.test']);
    const stranger = await open.get(`${open.baseUrl}/pets`, { origin: 'https://other.test' });
    expect(stranger.headers.get('access-control-allow-origin')).not.toBe('https://other.test');
  });

  test('a page of another origin can read each header that the spec declares or the server adds', async () => {
    const { get, baseUrl } = await start({ corsOrigins: ['*'] });
    const { headers } = await get(`${baseUrl}/pets`, { origin: 'https://shop.test' });
    const readable = headers.get('access-control-expose-headers')?.split(',').toSorted();
    const spec = readFileSync(fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml')), 'utf8');
    const { paths, components } = parse(spec);
    const added = ['Allow', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-Id'];
    expect(readable).toEqual(
      [...new Set([...added, ...declaredHeaders({ paths, responses: components.responses })])].toSorted(),
    );
    expect(readable).toEqual(expect.arrayContaining(['ETag', 'Idempotency-Replayed', 'Link', 'WWW-Authenticate']));
  });

  test('a key beyond its rate limit gets a 429 with Retry-After', async () => {
    const { get, baseUrl } = await start({ rateLimit: 3 });
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await get(`${baseUrl}/pets`)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const rejected = await get(`${baseUrl}/pets`);
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await rejected.json()).toMatchObject({ code: 'rate_limited', status: 429 });
  });
});

/** The names in each `headers` of a part of the spec. */
function declaredHeaders(part: object): string[] {
  return Object.entries(part).flatMap(([key, value]) => {
    if (typeof value !== 'object' || value === null) return [];
    return key === 'headers' ? Object.keys(value) : declaredHeaders(value);
  });
}
