// Parameters, paths, keys and methods, sent in both modes.
import { apiKey } from '@petstore/testing/server';
import { describe, expect, test } from 'vitest';
import { bothWays } from './listening.ts';
import { expectError, json, key, pet, request } from './wire.ts';

const send = bothWays();
const get = (path: string, headers: Record<string, string> = key) =>
  send(request(`GET ${path}`, headers));
const create = () => send(request('POST /v1/pets', { ...key, ...json }, pet('Rex')));

describe('the query', () => {
  const numbers =
    'limit=0 limit=101 limit= limit limit=Infinity limit=1e1 limit=1e999 limit=0x10 limit=%205 limit=+5 limit=05';
  const others =
    'after=-1 after=9007199254740992 after=9007199254740993 status=dead status=Sold status=sold%00 %zz=1 status=%ff';
  test.each(`${numbers} ${others}`.split(' '))('rejects ?%s', async (query) => {
    const name = query.split('=')[0] ?? '';
    const message = expectError(await get(`/v1/pets?${query}`), 'invalid_request');
    if (!/%(zz|ff)/.test(query)) expect(message).toContain(`query '${name}': `);
  });

  test.each([
    ...[
      'stauts=sold',
      '__proto__=1',
      'constructor=1',
      'toString=1',
      'petId=1',
      'limit[]=5',
      'limit[a]=5',
      'Limit=5',
    ],
    ...[
      'limit=5&limit=6',
      'status=sold&status=sold',
      'limit=5&status=sold&li%6dit=5',
      'a[__proto__][x]=1',
      '=',
      '?',
    ],
  ])('rejects ?%s, and names the unknown or repeated parameter', async (query) => {
    const name = query.split('=')[0];
    expect(expectError(await get(`/v1/pets?${query}`), 'invalid_request')).toContain(
      `query '${name}': `,
    );
  });

  test.each([
    '',
    'limit=1',
    'limit=100',
    'after=0',
    'after=9007199254740991',
    'st%61tus=%73old',
    'limit=5&',
    '&&',
  ])('accepts ?%s', async (query) => {
    expect((await get(`/v1/pets?${query}`)).status).toBe(200);
  });

  test.each([
    ['limit=0', "query 'limit': must be >= 1"],
    ['limit=99999999999999999999', "query 'limit': must be <= 100"],
    ['after=99999999999999999999', "query 'after': must be <= 9007199254740991"],
  ])('?%s is explained by the bounds in the spec', async (query, message) => {
    expect(expectError(await get(`/v1/pets?${query}`), 'invalid_request')).toBe(message);
  });

  test.each(['status=sold#x', 'limit=%%331', 'status=s%%36fld', 'limit=%2531', 'status=s%256fld'])(
    'of ?%s nothing is dropped or decoded twice',
    async (query) => {
      expectError(await get(`/v1/pets?${query}`), 'invalid_request');
    },
  );
});

describe('the path', () => {
  const none =
    '0 -1 01 1.0 1e0 0x1 abc 9007199254740992 99999999999999999999 1%20 %20 1%00 1/ 1;a %2531';
  test.each(none.split(' '))('finds no pet at /v1/pets/%s', async (id) => {
    await create();
    expectError(await get(`/v1/pets/${id}`), 'not_found');
  });

  test.each([
    ['abc', 'must be integer'],
    ['0', 'must be >= 1'],
    ['-9007199254740993', 'must be >= 1'],
    ['99999999999999999999', 'must be <= 9007199254740991'],
  ])('and its bounds in the spec explain why there is no pet %s', async (id, problem) => {
    expect(expectError(await get(`/v1/pets/${id}`), 'not_found')).toBe(`path 'petId': ${problem}`);
  });

  test('may escape plain characters, and may be absolute', async () => {
    await create();
    for (const path of ['/v%31/p%65ts/%31', 'http://localhost/v1/pets/1']) {
      expect((await get(path)).status).toBe(200);
      expectError(await get(path, {}), 'unauthorized');
    }
  });

  test.each(['%zz', '%ff', '%', '%%331'])('is rejected with the escape %s', async (id) => {
    expectError(await get(`/v1/pets/${id}`), 'invalid_request');
  });

  const elsewhere =
    '/v1 /v1/ /v1/Pets /v1/pets/ /v1/pets;a /v1/../v1/pets /v1/store/orders /v1/%2e%2e/pets'.split(
      ' ',
    );
  test.each([...elsewhere, '/V1/pets', '//v1/pets', '/nowhere'])('is unknown: %s', async (path) => {
    expectError(await get(path), 'not_found');
  });

  const malformed =
    '/v1/pets/%zz /v1/%zz /v1/pets#x http://localhost/v1/%zz /v1/pets?limit=x'.split(' ');
  test.each([...elsewhere, ...malformed, '/v1/pets', '/v1/pets/1'])(
    'needs a key first: %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        const response = await send(request(`${method} ${path}`));
        expectError(response, 'unauthorized');
        expect(response.headers.get('www-authenticate')).toBe('Bearer');
      }
    },
  );
});

describe('the key', () => {
  test.each([
    '',
    'Bearer',
    'Bearer ',
    'Basic YTpi',
    'Bearer nope',
    'Bearer a b',
    apiKey,
    `Bearer ${apiKey}x`,
  ])('is not accepted as %j', async (Authorization) => {
    expectError(await get('/v1/pets', { Authorization }), 'unauthorized');
  });

  test.each(['bearer', 'BEARER', 'Bearer'])('is accepted after the scheme %s', async (scheme) => {
    expect((await get('/v1/pets', { Authorization: `${scheme} ${apiKey}` })).status).toBe(200);
  });

  test.each([
    ['malformed', json, '{malformed'],
    ['too large', json, ' '.repeat(5_000_000)],
    [
      'announced, with 100 Continue',
      { ...json, Expect: '100-continue', 'Content-Length': '5' },
      '',
    ],
  ])('is checked before a body that is %s', async (_, headers, body) => {
    expectError(await send(request('POST /v1/pets', headers, body)), 'unauthorized');
  });
});

describe('methods', () => {
  test.each(['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'])(
    '%s gets a 405 with Allow',
    async (method) => {
      const response = await send(request(`${method} /v1/pets`, key));
      expectError(response, 'method_not_allowed');
      const allowed = response.headers.get('allow') ?? '';
      expect(allowed.split(', ').sort()).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST']);
    },
  );

  test('HEAD responds as GET does, without the body', async () => {
    for (const path of ['/v1/pets', '/v1/pets?limit=0', '/v1/pets/999', '/healthz', '/docs']) {
      const got = await get(path);
      const head = await send(request(`HEAD ${path}`, key));
      expect([head.status, head.body]).toEqual([got.status, '']);
      for (const name of ['content-length', 'content-type', 'etag', 'link'])
        expect(head.headers.get(name)).toBe(got.headers.get(name));
    }
  });

  test('OPTIONS responds with Allow', async () => {
    const response = await send(request('OPTIONS /v1/pets/1', key));
    expect([response.status, response.headers.get('allow')]).toEqual([
      204,
      expect.stringMatching(/^GET, HEAD,.* OPTIONS$/),
    ]);
  });
});
