import { newFolder } from '@petstore/testing';
import { apiKey } from '@petstore/testing/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { memoryStore, openLowdbStore } from '../src/index.ts';
import { type Listening, listen, listenForSuite, modes } from './listening.ts';

const call = ({ baseUrl }: Listening, path: string, headers = {}, init: RequestInit = {}) =>
  fetch(baseUrl + path, { ...init, headers: { authorization: `Bearer ${apiKey}`, ...headers } });
const post = (server: Listening, pet: object) =>
  call(server, '/pets', { 'content-type': 'application/json' }, { method: 'POST', body: JSON.stringify(pet) });

describe.each(modes)('%s', (_, options) => {
  const server = listenForSuite(options);

  test('a known version gets 304 until the document changes', async () => {
    await post(server(), { name: 'Rex', categoryId: 1 });
    for (const path of ['/pets', '/pets/1']) {
      const tag = (await call(server(), path)).headers.get('etag') ?? '';
      for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*'])
        expect((await call(server(), path, { 'if-none-match': known })).status).toBe(304);
      expect((await call(server(), path, { 'if-none-match': '"x"' })).status).toBe(200);
    }
    const tag = (await call(server(), '/pets')).headers.get('etag') ?? '';
    await post(server(), { name: 'Tom', categoryId: 1 });
    expect((await call(server(), '/pets', { 'if-none-match': tag })).status).toBe(200);
  });

  test('links lead to the next page with the same filter', async () => {
    for (let i = 0; i < 3; i++) await post(server(), { name: 'x', categoryId: i, status: 'sold' });
    const response = await call(server(), '/pets?limit=2&status=sold');
    const [, query] = /^<(\?.*)>; rel="next"$/.exec(response.headers.get('link') ?? '') ?? [];
    const last = await call(server(), `/pets${query}`);
    expect([JSON.parse(await last.text()).length, last.headers.get('link')]).toEqual([1, null]);
  });

  test('the identifier of a request is taken over if it is harmless', async () => {
    expect((await call(server(), '/pets', { 'x-request-id': 'abc-1' })).headers.get('x-request-id')).toBe('abc-1');
    expect((await call(server(), '/pets', { 'x-request-id': 'a b' })).headers.get('x-request-id')).not.toBe('a b');
  });

  test('a rate limit counts per key, and says so', async () => {
    const limited = await listen({ ...options, rateLimit: 2 });
    onTestFinished(() => limited.stop());
    const [first, second, third] = [
      await call(limited, '/pets'),
      await call(limited, '/nope'),
      await call(limited, '/pets'),
    ];
    expect([first.status, second.status, third.status]).toEqual([200, 404, 429]);
    expect(first.headers.get('ratelimit')).toMatch(/^"per-key";r=1;t=\d+$/);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('origins that are allowed may call, and ask before', async () => {
    const open = await listen({ ...options, corsOrigins: ['https://shop.example'] });
    onTestFinished(() => open.stop());
    const origin = 'https://shop.example';
    const asked = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const preflight = await fetch(`${open.baseUrl}/pets`, { method: 'OPTIONS', headers: asked });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    expect((await call(open, '/pets', { origin })).headers.get('access-control-expose-headers')).toContain('ETag');
    expect((await call(server(), '/pets', { origin })).headers.get('access-control-allow-origin')).toBe(null);
  });

  test('an operation without a handler gets 501', async () => {
    const without = await listen({ ...options, handlers: {} });
    onTestFinished(() => without.stop());
    expect((await call(without, '/pets')).status).toBe(501);
  });
});

test('both paths send the same bytes', async () => {
  const [fast, express] = [await listen(), await listen({ validateResponses: true })];
  const paths = [
    '/pets',
    '/pets?limit=1',
    '/pets?limit=0',
    '/pets?x=1',
    '/pets/1',
    '/pets/9',
    '/pets/x',
    '/nope',
    '/pets?status=sold%23x',
  ];
  for (const server of [fast, express]) await post(server, { name: 'Rex', categoryId: 2 });
  for (const path of paths) {
    const [one, other] = [await call(fast, path), await call(express, path)];
    const headersOf = ({ headers }: Response) => [...headers].filter(([name]) => !/^(date|x-request-id)$/.test(name));
    expect([one.status, headersOf(one), await one.text()]).toEqual([
      other.status,
      headersOf(other),
      await other.text(),
    ]);
  }
  await fast.stop();
  await express.stop();
});

test('a response that breaks the spec is an error while responses are validated', async () => {
  const handlers = { listPets: async () => [{ id: 1 }] as never };
  const server = await listen({ validateResponses: true, handlers });
  onTestFinished(() => server.stop());
  expect((await call(server, '/pets')).status).toBe(500);
});

test('a flood of requests for metrics is served from memory, and pages are bounded', async () => {
  const store = await openLowdbStore(newFolder());
  const server = await listen({}, store);
  await post(server, { name: 'x'.repeat(600_000), categoryId: 1 });
  for (let i = 0; i < 3; i++) await post(server, { name: 'x'.repeat(600_000), categoryId: 1 });
  expect(JSON.parse(await (await call(server, '/pets')).text()).length).toBeLessThan(4);
  const all = await Promise.all(Array.from({ length: 200 }, () => fetch(`${server.origin}/metrics`)));
  expect(all.every(({ status }) => status === 200)).toBe(true);
  expect(await all[0]?.text()).toContain('petstore_requests_total{operation="createPet",status="201"} 4');
  await server.stop();
  await store.close();
});

test('the docs page and all that it loads come from the server', async () => {
  const server = await listen({}, memoryStore());
  onTestFinished(() => server.stop());
  const page = await fetch(`${server.origin}/docs`);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
  const loaded = [...(await page.text()).matchAll(/(?:src|href)="((?:docs|openapi)[^"]*)"/g)].map(([, path]) => path);
  expect(loaded.length).toBeGreaterThan(4);
  for (const path of loaded) expect((await fetch(`${server.origin}/${path}`)).status).toBe(200);
});
