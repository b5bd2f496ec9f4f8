import { type ErrorCode, type Operation, operations, service } from '@petstore/types';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { impatient, type Listening, listen, ways } from '../listen.ts';
import { type RawAnswer, raw, request } from './raw.ts';

/** The methods of a path, and those that HTTP adds. */
function allowed(path: string): string {
  const described = Object.values<Operation>(operations).filter((operation) => operation.path === path);
  return [...described.map(({ method }) => method), 'HEAD', 'OPTIONS'].join(', ');
}

describe.each(ways)('%s', (_, options) => {
  let server: Listening;
  let key: Record<string, string>;
  beforeAll(async () => {
    server = await listen(options);
    key = { Authorization: `Bearer ${server.apiKey}` };
  });
  afterAll(() => server.close());

  const json = { 'Content-Type': 'application/json' };
  const pet = '{"name":"Rex","categoryId":2}';

  /** An answer in the Error shape, whose status is the code's unless another one is expected. */
  function expectError(answer: RawAnswer, code: ErrorCode, status: number = service.statuses[code]) {
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/json; charset=utf-8']);
    expect(JSON.parse(answer.body)).toEqual({ code, message: expect.stringMatching(/./), status });
    expect(answer.headers.get('x-request-id')).toBeTruthy();
  }

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
      expectError(await raw(server.origin, request(`GET /v1/pets?${query}`, key)), 'invalid_request');
    });

    test.each(['', 'limit=1', 'limit=100', 'after=0', 'after=9007199254740991', 'st%61tus=%73old', 'limit=5&', '&&'])(
      'accepts ?%s',
      async (query) => {
        expect((await raw(server.origin, request(`GET /v1/pets?${query}`, key))).status).toBe(200);
      },
    );
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
      await raw(server.origin, request('POST /v1/pets', { ...key, ...json }, pet));
      expectError(await raw(server.origin, request(`GET /v1/pets/${id}`, key)), 'not_found');
    });

    test('decodes escapes of plain characters', async () => {
      await raw(server.origin, request('POST /v1/pets', { ...key, ...json }, pet));
      expect((await raw(server.origin, request('GET /v%31/p%65ts/%31', key))).status).toBe(200);
      expect((await raw(server.origin, request('GET http://localhost/v1/pets/1', key))).status).toBe(200);
      expectError(await raw(server.origin, request('GET /v%31/p%65ts/%31')), 'unauthorized');
      expectError(await raw(server.origin, request('GET http://localhost/v1/pets/1')), 'unauthorized');
    });

    test('rejects escapes of invalid UTF-8', async () => {
      for (const id of ['%zz', '%ff', '%']) {
        expectError(await raw(server.origin, request(`GET /v1/pets/${id}`, key)), 'invalid_request');
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
      expectError(await raw(server.origin, request(`GET ${path}`, key)), 'not_found');
    });

    test.each([...elsewhere, '/v1/pets', '/v1/pets/1', '/v1/pets?limit=x', '/v1/pets/%zz', '/v1/%zz', '/v1/pets#x'])(
      'needs a key first: %s',
      async (path) => {
        const answer = await raw(server.origin, request(`GET ${path}`));
        expectError(answer, 'unauthorized');
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      },
    );
  });

  describe('the key', () => {
    test.each(['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer nope', 'Bearer a b', 'a-key-that-is-for-tests'])(
      'is not accepted as %j',
      async (authorization) => {
        expectError(
          await raw(server.origin, request('GET /v1/pets', { Authorization: authorization })),
          'unauthorized',
        );
      },
    );

    test.each(['bearer', 'BEARER', 'Bearer'])('may follow the scheme as %s', async (scheme) => {
      const answer = await raw(server.origin, request('GET /v1/pets', { Authorization: `${scheme} ${server.apiKey}` }));
      expect(answer.status).toBe(200);
    });

    test('is checked before the body is read', async () => {
      expectError(await raw(server.origin, request('POST /v1/pets', json, '{malformed')), 'unauthorized');
      const answer = await fetch(`${server.baseUrl}/pets`, {
        method: 'POST',
        headers: json,
        body: ' '.repeat(5_000_000),
      });
      expect(answer.status).toBe(401);
    });

    test('is checked before 100 Continue', async () => {
      const expectant = request('POST /v1/pets', { ...json, Expect: '100-continue', 'Content-Length': '5' });
      expectError(await raw(server.origin, expectant), 'unauthorized');
    });
  });

  describe('methods', () => {
    test.each(['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'])('%s gets a 405 with Allow', async (method) => {
      const answer = await raw(server.origin, request(`${method} /v1/pets`, key));
      expectError(answer, 'method_not_allowed');
      expect(answer.headers.get('allow')).toBe(allowed('/pets'));
    });

    test('HEAD responds as GET does, without the body', async () => {
      const [get, head] = [
        await raw(server.origin, request('GET /v1/pets', key)),
        await raw(server.origin, request('HEAD /v1/pets', key)),
      ];
      expect([head.status, head.body]).toEqual([200, '']);
      for (const name of ['content-length', 'content-type']) expect(head.headers.get(name)).toBe(get.headers.get(name));
      expect((await raw(server.origin, request('HEAD /v1/pets/999', key))).status).toBe(404);
    });

    test('OPTIONS responds with Allow', async () => {
      const answer = await raw(server.origin, request('OPTIONS /v1/pets/1', key));
      expect([answer.status, answer.headers.get('allow')]).toEqual([204, allowed('/pets/{petId}')]);
    });

    test('CONNECT is rejected', async () => {
      expectError(await raw(server.origin, request('CONNECT localhost:80')), 'method_not_allowed');
    });
  });

  describe('the body', () => {
    const post = (body: string | Uint8Array, headers: Record<string, string> = json) =>
      raw(server.origin, request('POST /v1/pets', { ...key, ...headers }, body));

    test.each([
      '',
      'null',
      '5',
      '[]',
      '"x"',
      '{malformed',
      '\ufeff{}',
      '{}',
      '{"name":"x"}',
      '{"categoryId":1}',
      '{"name":null,"categoryId":1}',
      '{"name":"x","categoryId":"1"}',
      '{"name":"x","categoryId":1.5}',
      '{"name":"x","categoryId":1e999}',
      '{"name":"x","categoryId":9223372036854775808}',
      '{"name":"x","categoryId":9223372036854775809}',
      '{"name":"x","categoryId":-9223372036854775809}',
      '{"name":"x","categoryId":1e19}',
      '{"name":"x","categoryId":99999999999999999999999999}',
      '{"name":"x","categoryId":9007199254740990.5}',
      '{"name":"x","categoryId":1.00000000000000000001}',
      '{"name":"x","categoryId":1,"status":null}',
      '{"name":"x","categoryId":1,"status":"Sold"}',
      '{"name":"\\ud800","categoryId":1}',
    ])('%s is rejected', async (body) => {
      expectError(await post(body), 'invalid_request');
    });

    test.each(['id', '__proto__', 'constructor', 'toString', 'colour'])(
      'an unknown member %s is rejected by name',
      async (member) => {
        const answer = await post(`{"name":"x","categoryId":1,"${member}":{"a":1}}`);
        expectError(answer, 'invalid_request');
        expect(JSON.parse(answer.body).message).toBe(`body '${member}': there is no such member`);
      },
    );

    test('every violation is reported', async () => {
      const { message } = JSON.parse((await post('{"categoryId":"1","status":"dead","colour":1}')).body);
      for (const name of ['name', 'categoryId', 'status', 'colour']) expect(message).toContain(`'${name}'`);
    });

    test.each(['9223372036854775808', '-9223372036854775809', '1e19', '9007199254740992.5'])(
      'a category %s is rejected by name',
      async (number) => {
        const answer = await post(`{"name":"x","categoryId":${number}}`);
        expectError(answer, 'invalid_request');
        expect(JSON.parse(answer.body).message).toMatch(/^body 'categoryId': /);
      },
    );

    test.each(['1e2', '100.0', '1.0e2', '0.1e3'])('%s is the integer 100', async (number) => {
      const answer = await post(`{"name":"x","categoryId":${number}}`);
      expect([answer.status, JSON.parse(answer.body).categoryId]).toEqual([201, 100]);
    });

    test('invalid UTF-8 is rejected, not replaced', async () => {
      expectError(await post(Buffer.from('{"name":"\xff","categoryId":1}', 'latin1')), 'invalid_request');
    });

    test.each([
      ['deeply nested', '['.repeat(500_000)],
      ['deeply nested and closed', `{"name":"x","categoryId":${'['.repeat(100_000)}1.5${']'.repeat(100_000)}}`],
      ['full of unknown members', `{${Array.from({ length: 40_000 }, (_, i) => `"k${i}":1`)}}`],
    ])('a body that is %s is rejected in a short sentence', async (_, body) => {
      const answer = await post(body);
      expectError(answer, 'invalid_request');
      expect(answer.body.length).toBeLessThan(2_000);
    });

    test('a body that is too large is rejected, with and without Content-Length', async () => {
      const large = ' '.repeat(2 ** 20 + 1);
      expectError(await post(large), 'payload_too_large');
      const chunked = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
      const head = request('POST /v1/pets', { ...key, ...json, 'Transfer-Encoding': 'chunked' });
      expectError(await raw(server.origin, Buffer.concat([head, Buffer.from(chunked)])), 'payload_too_large');
    });

    test.each([
      '',
      'text/plain',
      'text/json',
      'application/json; charset=latin1',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ])('the type %j is rejected', async (type) =>
      expectError(await post(pet, type ? { 'Content-Type': type } : {}), 'unsupported_media_type'),
    );

    test.each([
      'application/json',
      'application/JSON',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
    ])('the type %j is accepted', async (type) => {
      expect((await post(pet, { 'Content-Type': type })).status).toBe(201);
    });

    test('a compressed body is rejected', async () => {
      expectError(await post(pet, { ...json, 'Content-Encoding': 'gzip' }), 'unsupported_media_type');
    });

    test('a client that waits for 100 Continue gets it', async () => {
      expect((await post(pet, { ...json, Expect: '100-continue' })).status).toBe(201);
    });

    test('of a GET is ignored', async () => {
      expect(
        (await raw(server.origin, request('GET /v1/pets', { ...key, 'Content-Type': 'x/y' }, '{malformed'))).status,
      ).toBe(200);
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
      expectError(await raw(server.origin, bytes), 'invalid_request', status);
    });

    test.each([
      ['a malformed chunk', 'Transfer-Encoding: chunked\r\n\r\nZZ\r\n', 400],
      ['two lengths', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
    ])('%s gets an Error', async (_, rest, status) => {
      const bytes = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.apiKey}\r\nContent-Type: application/json\r\n${rest}`;
      expectError(await raw(server.origin, bytes), 'invalid_request', status);
    });

    test.each([
      ['a head that never ends', ''],
      ['a body that never ends', 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{'],
    ])('%s gets an Error', async (_, rest) => {
      const { origin, apiKey, close } = await listen({ ...options, ...impatient });
      onTestFinished(() => void close());
      const bytes = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n${rest}`;
      expectError(await raw(origin, bytes), 'invalid_request', 408);
    });
  });
});
