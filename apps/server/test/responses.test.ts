// Headers, pages, docs, CORS, rate limits, metrics, and the app within another.
import { apiKey } from '@petstore/testing/server';
import { operations } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Handlers, HttpError, keysFrom, memoryStore } from '../src/index.ts';
import { UnavailableError, UnknownOutcomeError } from '../src/store/store.ts';
import {
  bothWays,
  type Listening,
  listenForSuite,
  listenForTest,
  modes,
  withFunctions,
} from './listening.ts';
import { expectError, json, key, request } from './wire.ts';

const call = ({ baseUrl }: Listening, path: string, headers = {}, init: RequestInit = {}) =>
  fetch(baseUrl + path, { ...init, headers: { ...key, ...headers } });
const post = (server: Listening, body: object) =>
  call(server, '/pets', json, { method: 'POST', body: JSON.stringify(body) });

describe('in both modes', () => {
  const send = bothWays();
  const get = (path: string, headers = {}) =>
    send(request(`GET /v1${path}`, { ...key, ...headers }));
  const create = (body: object) =>
    send(request('POST /v1/pets', { ...key, ...json }, JSON.stringify(body)));

  test('a known version gets 304 until the document changes', async () => {
    await create({ name: 'Rex', categoryId: 1 });
    for (const path of ['/pets', '/pets/1']) {
      const tag = (await get(path)).headers.get('etag') ?? '';
      for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*'])
        expect(await get(path, { 'If-None-Match': known })).toMatchObject({
          status: 304,
          body: '',
        });
      expect((await get(path, { 'If-None-Match': '"x"' })).status).toBe(200);
    }
    const tag = (await get('/pets')).headers.get('etag') ?? '';
    await create({ name: 'Tom', categoryId: 1 });
    expect((await get('/pets', { 'If-None-Match': tag })).status).toBe(200);
  });

  test('a known version of a page gets 304 without a link, which the spec does not declare there', async () => {
    for (let i = 0; i < 2; i++) await create({ name: 'x', categoryId: i });
    const { headers } = await get('/pets?limit=1');
    expect(headers.get('link')).toContain('rel="next"');
    const known = await get('/pets?limit=1', { 'If-None-Match': headers.get('etag') ?? '' });
    expect([known.status, known.headers.get('link')]).toEqual([304, undefined]);
  });

  test('links lead through all pages with the same filter', async () => {
    for (let i = 0; i < 5; i++) await create({ name: 'x', categoryId: i, status: 'sold' });
    const categories = [];
    for (let query: string | undefined = '?limit=2&status=sold'; query; ) {
      const { headers, body } = await get(`/pets${query}`);
      for (const { categoryId } of JSON.parse(body)) categories.push(categoryId);
      query = /^<(\?.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(categories).toEqual([0, 1, 2, 3, 4]);
  });

  test('the deprecated operation says until when, and what to use instead, whatever its response is', async () => {
    for (const path of ['/pets/1', '/pets/999', '/pets/x']) {
      const { headers } = await get(path);
      expect(headers.get('deprecation')).toMatch(/^@\d+$/);
      expect(new Date(headers.get('sunset') ?? '')).toEqual(new Date(operations.getPet.sunset));
      expect(headers.get('link')).toBe('</v1/pets>; rel="successor-version"');
    }
    expect((await get('/pets')).headers.get('deprecation')).toBeUndefined();
  });

  test('the identifier of a request is taken over if it is harmless', async () => {
    expect((await get('/pets', { 'X-Request-Id': 'abc-1' })).headers.get('x-request-id')).toBe(
      'abc-1',
    );
    for (const id of ['a b', 'x'.repeat(500), 'a"b'])
      expect((await get('/pets', { 'X-Request-Id': id })).headers.get('x-request-id')).toMatch(
        /^[\da-f]{20}-[\da-z]+$/,
      );
  });

  test('no response lets browsers guess its type', async () => {
    for (const path of ['/v1/pets', '/v1/nowhere', '/healthz', '/docs', '/nowhere'])
      expect((await send(request(`GET ${path}`))).headers.get('x-content-type-options')).toBe(
        'nosniff',
      );
  });

  test('the paths that are not the service allow only GET and HEAD', async () => {
    for (const path of [
      '/healthz',
      '/readyz',
      '/metrics',
      '/docs',
      '/openapi.yaml',
      '/openapi.json',
    ]) {
      const response = await send(request(`POST ${path}`));
      expectError(response, 'method_not_allowed');
      expect(response.headers.get('allow')).toBe('GET, HEAD');
    }
  });

  test('the docs page and all that it loads come from the server', async () => {
    const page = await send(request('GET /docs'));
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    const loaded = [...page.body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path ?? '');
    expect(loaded.length).toBeGreaterThan(4);
    for (const path of loaded.filter((each) => !each.startsWith('data:'))) {
      expect(path).toMatch(/^(docs|openapi)[\w./-]+$/);
      expect((await send(request(`GET /${path}`))).status).toBe(200);
    }
    const yaml = await send(request('GET /openapi.yaml'));
    const inJson = await send(request('GET /openapi.json'));
    expect(JSON.parse(inJson.body)).toEqual(parse(yaml.body, { merge: true }));
  });
});

describe.each(modes)('%s', (_, options) => {
  const server = listenForSuite(options);

  test('a rate limit counts per key, says so, and refuses before the body arrives', async () => {
    const keys = keysFrom(`one=${apiKey},two=another-key-for-tests`);
    const limited = await listenForTest({ ...options, keys, rateLimit: 2 });
    const responses = [await call(limited, '/pets'), await call(limited, '/nope')];
    responses.push(await post(limited, { malformed: true }));
    expect(responses.map(({ status }) => status)).toEqual([200, 404, 429]);
    expect(responses[0]?.headers.get('ratelimit')).toMatch(/remaining=1,/);
    expect(Number(responses[2]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await responses[2]?.json()).toMatchObject({ code: 'rate_limited', status: 429 });
    expect(
      (await call(limited, '/pets', { Authorization: 'Bearer another-key-for-tests' })).status,
    ).toBe(200);
    expect((await fetch(`${limited.origin}/healthz`)).status).toBe(200);
  });

  test('origins that are allowed may call, and ask before; others may not', async () => {
    const origin = 'https://shop.example';
    const open = await listenForTest({ ...options, corsOrigins: [origin] });
    const asked = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const preflight = await fetch(`${open.baseUrl}/pets`, { method: 'OPTIONS', headers: asked });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
      204,
      origin,
    ]);
    for (const path of ['/pets', '/pets?x', '/nope']) {
      const { headers } = await call(open, path, { origin });
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('access-control-expose-headers')).toMatch(/ETag.*Link.*X-Request-Id/);
    }
    const other = { origin: 'https://other.example' };
    expect((await call(open, '/pets', other)).headers.get('access-control-allow-origin')).not.toBe(
      other.origin,
    );
    expect(
      (await call(server(), '/pets', { origin })).headers.get('access-control-allow-origin'),
    ).toBe(null);
  });

  test('only a preflight needs no key', async () => {
    const open = await listenForTest({ ...options, corsOrigins: ['*'] });
    const origin = 'https://shop.example';
    const asked = [{}, { origin }, { 'access-control-request-method': 'POST' }];
    for (const headers of asked)
      expect((await fetch(`${open.baseUrl}/pets`, { method: 'OPTIONS', headers })).status).toBe(
        401,
      );
    const authorized = { method: 'OPTIONS', headers: { ...key, origin } };
    const response = await fetch(`${open.baseUrl}/pets`, authorized);
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
      204,
      '*',
    ]);
    expect(response.headers.get('allow')).toContain('POST');
  });

  test('an operation without a handler gets 501', async () => {
    const without = await listenForTest({ ...options, handlers: {} });
    for (const response of [
      await call(without, '/pets'),
      await post(without, { name: 'x', categoryId: 1 }),
    ])
      expect([response.status, await response.json()]).toMatchObject([
        501,
        { code: 'internal_error', status: 501 },
      ]);
  });

  test.each([
    ['a fault of the server', new Error('secret plans'), 500, 'internal_error', null],
    ['a write that was not done', new UnavailableError('secret plans'), 503, 'unavailable', '1'],
    [
      'a write that may have been done',
      new UnknownOutcomeError('secret plans'),
      503,
      'internal_error',
      '1',
    ],
  ])(
    '%s is told apart from the others, and reveals nothing',
    async (_, error, status, code, retryAfter) => {
      const broken = await listenForTest(
        options,
        withFunctions(memoryStore(), { create: () => Promise.reject(error) }),
      );
      const response = await post(broken, { name: 'Rex', categoryId: 1 });
      expect([response.status, response.headers.get('retry-after')]).toEqual([status, retryAfter]);
      expect(await response.json()).toEqual({
        code,
        status,
        message: expect.not.stringContaining('secret'),
      });
    },
  );

  test('requests are counted by operation and status', async () => {
    const counted = await listenForTest(options);
    for (const path of ['/pets', '/pets/7', '/nowhere']) await call(counted, path);
    const metrics = await (await fetch(`${counted.origin}/metrics`)).text();
    for (const [operation, status] of Object.entries({ listPets: 200, getPet: 404, none: 404 }))
      expect(metrics).toContain(
        `petstore_requests_total{operation="${operation}",status="${status}"} 1`,
      );
    expect(metrics).toContain('petstore_request_duration_seconds_count{operation="listPets"} 1');
    for (const name of ['nodejs_eventloop_lag_seconds', 'process_resident_memory_bytes'])
      expect(metrics).toContain(`\n${name} `);
    expect(metrics).toContain('\npetstore_idempotency_keys_forgotten_total 0\n');
    expect(metrics).toContain('\n# TYPE petstore_idempotency_keys_forgotten_total counter\n');
  });

  test('the metrics have what is stored', async () => {
    const counted = await listenForTest(options);
    for (const name of ['Rex', 'Tom']) await post(counted, { name, categoryId: 1 });
    const metrics = await (await fetch(`${counted.origin}/metrics`)).text();
    expect(metrics).toContain('\npetstore_documents{collection="pets"} 2\n');
  });
});

test.each<[string, Handlers['listPets']]>([
  ['a body', () => [{ id: 1 }] as never],
  [
    'a header',
    () => {
      throw new HttpError('not_found', 'Not here.', { headers: { 'X-Other': '1' } });
    },
  ],
])(
  '%s that the spec does not declare is an error while responses are validated',
  async (_, listPets) => {
    const server = await listenForTest({ validateResponses: true, handlers: { listPets } });
    expect((await call(server, '/pets')).status).toBe(500);
  },
);
