import { apiKey } from '@petstore/testing/server';
import { type Operation, operations } from '@petstore/types';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen, listenForSuite, modes } from './listening.ts';
import { expectError, raw, request } from './wire.ts';

/** The methods of a path, and those that HTTP adds. */
function allowed(path: string): string {
  const described = Object.values<Operation>(operations).filter((operation) => operation.path === path);
  return [
    ...described.map(({ method }) => method),
    ...(described.some(({ method }) => method === 'GET') ? ['HEAD'] : []),
    'OPTIONS',
  ].join(', ');
}

describe.each(modes)('%s', (_, options) => {
  const server = listenForSuite(options);
  const key = { Authorization: `Bearer ${apiKey}` };

  const json = { 'Content-Type': 'application/json' };
  const pet = '{"name":"Rex","categoryId":2}';

  describe('the query', () => {
    test.each([
      'limit=0',
      'limit=101',
      'limit=',
      'limit',
      'limit=Infinity',
      'limit=1e1',
      'limit=1e999',
      'limit=0x10',
      'limit=%205',
      'limit=+5',
      'limit=05',
      'limit=5&limit=6',
      'limit[]=5',
      'limit[a]=5',
      'after=-1',
      'after=9007199254740992',
      'after=9007199254740993',
      'status=dead',
      'status=Sold',
      'status=sold&status=sold',
      'status=sold%00',
      'stauts=sold',
      '__proto__=1',
      'constructor=1',
      'toString=1',
      'a[__proto__][x]=1',
      '=',
      '?',
      '%zz=1',
      'status=%ff',
      'petId=1',
    ])('rejects ?%s', async (query) => {
      expectError(await raw(server().origin, request(`GET /v1/pets?${query}`, key)), 'invalid_request');
    });

    test.each(['', 'limit=1', 'limit=100', 'after=0', 'after=9007199254740991', 'st%61tus=%73old', 'limit=5&', '&&'])(
      'accepts ?%s',
      async (query) => {
        expect((await raw(server().origin, request(`GET /v1/pets?${query}`, key))).status).toBe(200);
      },
    );
  });

  test('the bounds in the spec explain why an integer of any length is rejected', async () => {
    for (const [query, problem] of [
      ['limit=0', "query 'limit': must be >= 1"],
      ['limit=99999999999999999999', "query 'limit': must be <= 100"],
      ['after=99999999999999999999', "query 'after': must be <= 9007199254740991"],
    ]) {
      const { status, body } = await raw(server().origin, request(`GET /v1/pets?${query}`, key));
      expect([status, JSON.parse(body).message]).toEqual([400, problem]);
    }
  });

  describe('the path', () => {
    test.each([
      '0',
      '-1',
      '01',
      '1.0',
      '1e0',
      '0x1',
      'abc',
      '9007199254740992',
      '99999999999999999999',
      '1%20',
      '%20',
      '1%00',
      '1/',
      '1;a',
    ])('finds no pet at /v1/pets/%s', async (id) => {
      await raw(server().origin, request('POST /v1/pets', { ...key, ...json }, pet));
      expectError(await raw(server().origin, request(`GET /v1/pets/${id}`, key)), 'not_found');
    });

    test.each([
      ['abc', 'must be integer'],
      ['0', 'must be >= 1'],
      ['-9007199254740993', 'must be >= 1'],
      ['9007199254740992', 'must be <= 9007199254740991'],
      ['99999999999999999999', 'must be <= 9007199254740991'],
    ])('and its bounds in the spec explain why there is no pet %s', async (id, problem) => {
      const { body } = await raw(server().origin, request(`GET /v1/pets/${id}`, key));
      expect(JSON.parse(body)).toEqual({ code: 'not_found', message: `path 'petId': ${problem}`, status: 404 });
    });

    test('decodes escapes of plain characters', async () => {
      await raw(server().origin, request('POST /v1/pets', { ...key, ...json }, pet));
      expect((await raw(server().origin, request('GET /v%31/p%65ts/%31', key))).status).toBe(200);
      expect((await raw(server().origin, request('GET http://localhost/v1/pets/1', key))).status).toBe(200);
      expectError(await raw(server().origin, request('GET /v%31/p%65ts/%31')), 'unauthorized');
      expectError(await raw(server().origin, request('GET http://localhost/v1/pets/1')), 'unauthorized');
    });

    test('rejects escapes of invalid UTF-8', async () => {
      for (const id of ['%zz', '%ff', '%']) {
        expectError(await raw(server().origin, request(`GET /v1/pets/${id}`, key)), 'invalid_request');
      }
    });

    const elsewhere = [
      '/v1',
      '/v1/',
      '/v1/Pets',
      '/v1/pets/',
      '/v1/pets;a',
      '/v1/../v1/pets',
      '/v1/store/orders',
      '/v1/%2e%2e/pets',
    ];
    test.each([...elsewhere, '/V1/pets', '//v1/pets', '/nowhere'])('is unknown: %s', async (path) => {
      expectError(await raw(server().origin, request(`GET ${path}`, key)), 'not_found');
    });

    test.each([
      ...elsewhere,
      '/v1/pets',
      '/v1/pets/1',
      '/v1/pets?limit=x',
      '/v1/pets/%zz',
      '/v1/%zz',
      '/v1/pets#x',
      'http://localhost/v1/%zz',
    ])('needs a key first: %s', async (path) => {
      const response = await raw(server().origin, request(`GET ${path}`));
      expectError(response, 'unauthorized');
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    });
  });

  describe('the key', () => {
    test.each(['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer nope', 'Bearer a b', apiKey])(
      'is not accepted as %j',
      async (authorization) => {
        expectError(
          await raw(server().origin, request('GET /v1/pets', { Authorization: authorization })),
          'unauthorized',
        );
      },
    );

    test.each(['bearer', 'BEARER', 'Bearer'])('is accepted after the scheme %s', async (scheme) => {
      const response = await raw(server().origin, request('GET /v1/pets', { Authorization: `${scheme} ${apiKey}` }));
      expect(response.status).toBe(200);
    });

    test('is checked before the body is read', async () => {
      expectError(await raw(server().origin, request('POST /v1/pets', json, '{malformed')), 'unauthorized');
      const response = await fetch(`${server().baseUrl}/pets`, {
        method: 'POST',
        headers: json,
        body: ' '.repeat(5_000_000),
      });
      expect(response.status).toBe(401);
    });

    test('is checked before 100 Continue', async () => {
      const expectant = request('POST /v1/pets', { ...json, Expect: '100-continue', 'Content-Length': '5' });
      expectError(await raw(server().origin, expectant), 'unauthorized');
    });
  });

  describe('methods', () => {
    test.each(['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'])('%s gets a 405 with Allow', async (method) => {
      const response = await raw(server().origin, request(`${method} /v1/pets`, key));
      expectError(response, 'method_not_allowed');
      expect(response.headers.get('allow')).toBe(allowed('/pets'));
    });

    test('HEAD responds as GET does, without the body', async () => {
      const [get, head] = [
        await raw(server().origin, request('GET /v1/pets', key)),
        await raw(server().origin, request('HEAD /v1/pets', key)),
      ];
      expect([head.status, head.body]).toEqual([200, '']);
      for (const name of ['content-length', 'content-type']) expect(head.headers.get(name)).toBe(get.headers.get(name));
      expect((await raw(server().origin, request('HEAD /v1/pets/999', key))).status).toBe(404);
    });

    test('OPTIONS responds with Allow', async () => {
      const response = await raw(server().origin, request('OPTIONS /v1/pets/1', key));
      expect([response.status, response.headers.get('allow')]).toEqual([204, allowed('/pets/{petId}')]);
    });

    test('CONNECT is rejected', async () => {
      expectError(await raw(server().origin, request('CONNECT localhost:80')), 'method_not_allowed');
    });
  });

  describe('malformed requests', () => {
    test.each([
      ['garbage', 'garbage\r\n\r\n', 400],
      ['an unknown method', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      ['a missing Host', 'GET /v1/pets HTTP/1.1\r\n\r\n', 400],
      ['an unknown expectation', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n', 417],
      ['too large a head', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ])('%s gets an Error', async (_, bytes, status) => {
      expectError(await raw(server().origin, bytes), 'invalid_request', status);
    });

    test('an unknown method is named as a possible cause', async () => {
      const { body } = await raw(server().origin, request('FOO /v1/pets', key));
      const message = 'This is not a well-formed HTTP request, or its method is unknown.';
      expect(JSON.parse(body)).toEqual({ code: 'invalid_request', message, status: 400 });
    });

    test.each([
      ['a malformed chunk', 'Transfer-Encoding: chunked\r\n\r\nZZ\r\n', 400],
      ['two lengths', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
    ])('%s gets an Error', async (_, rest, status) => {
      const bytes = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\n${rest}`;
      expectError(await raw(server().origin, bytes), 'invalid_request', status);
    });

    test.each([
      ['a head that never ends', ''],
      ['a body that never ends', 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{'],
    ])('%s gets an Error', async (_, rest) => {
      const { origin, stop } = await listen({ ...options, requestTimeout: 200 });
      onTestFinished(() => void stop());
      const bytes = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n${rest}`;
      expectError(await raw(origin, bytes), 'invalid_request', 408);
    });
  });
});
