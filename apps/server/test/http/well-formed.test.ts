import { apiKey } from '@petstore/testing/server';
import { service } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import { listenForSuite, modes } from '../listen.ts';
import { openWire } from './wire.ts';

describe.each(modes)('%s', (_, options) => {
  const written: Record<string, unknown>[] = [];
  const write = (entry: object) => void written.push({ ...entry });
  const server = listenForSuite({ ...options, logRequest: write, onRejection: write });

  /** Sends bytes, and returns the only response, which must be in the log. */
  async function send(bytes: string) {
    const wire = openWire(server().origin, { isHead: bytes.startsWith('HEAD') });
    wire.send(bytes);
    const [response] = await wire.until(1);
    wire.socket.destroy();
    if (!response) throw new Error('there was no response');
    const requestId = response.headers.get('x-request-id');
    await expect
      .poll(() => written.find((entry) => entry.requestId === requestId))
      .toMatchObject({ status: response.status });
    return response;
  }
  const hostAndKey = `Host: x\r\nAuthorization: Bearer ${apiKey}\r\n`;

  describe.each(['GET', 'POST', 'OPTIONS', 'HEAD', 'DELETE'])('%s', (method) => {
    test.each([
      '/',
      '/?',
      '/?y',
      '/#',
      '/#x',
      '/?#',
      '*',
      '**',
      '?y',
      '#x',
      'x',
      'x:80',
      'x?y',
      'http:',
      'http:/',
      'http:x',
      'http://',
      'http://x',
      'http://x/',
      'http://x?y',
      'http://x#y',
      'http://x:80',
      'http://x:80?y',
      'http://x:y/',
      'http://u@x/',
      'http://?y',
      'http:///v1/pets',
      'https://x/v1/pets',
      'ftp://x/v1/pets',
      'ws://x',
      'mailto:x',
      '//',
      '//x',
      '///',
      '/\\',
      '/v1',
      '/v1?',
      '/v1/pets?',
      '/%',
      '/%2',
      '/%00',
      '/é',
    ])('the target %s gets a response', async (target) => {
      const { status, headers } = await send(`${method} ${target} HTTP/1.1\r\n${hostAndKey}\r\n`);
      expect(status).toBeLessThan(500);
      if (status >= 400) expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    });
  });

  test('a target in absolute form is its path and query; without a path it is the root', async () => {
    expect(await send('GET http://x?y HTTP/1.1\r\nHost: x\r\n\r\n')).toMatchObject({ status: 302 });
    expect(await send(`GET http://x/v1/pets?limit=1 HTTP/1.1\r\n${hostAndKey}\r\n`)).toMatchObject({ status: 200 });
  });

  test.each([
    ['GET', '/v1/pets?status=sold#x', 400],
    ['GET', '/healthz#x', 400],
    ['GET', '/v1/pets?limit=%%331', 400],
    ['GET', '/v1/pets?status=s%%36fld', 400],
    ['GET', '/v1/pets/%%331', 400],
    ['GET', '/v1/pets/%2531', 404],
    ['GET', '/v1/pets?limit=%2531', 400],
    ['GET', '/v1/pets?status=s%256fld', 400],
  ])('%s %s gets %d: nothing is dropped or decoded twice', async (method, target, status) => {
    expect((await send(`${method} ${target} HTTP/1.1\r\n${hostAndKey}\r\n`)).status).toBe(status);
  });

  test.each([
    ['two Host headers', 'HTTP/1.1\r\nHost: x\r\nHost: y\r\n'],
    ['two Host headers far apart', `HTTP/1.1\r\nHost: x\r\n${'a:\r\n'.repeat(2000)}Host: y\r\n`],
    ['the same Host twice', 'HTTP/1.1\r\nHost: x\r\nhost: x\r\n'],
    ['a Host with a path', 'HTTP/1.1\r\nHost: a b/c?d\r\n'],
    ['a Host with a user', 'HTTP/1.1\r\nHost: u@x\r\n'],
    ['an empty Host', 'HTTP/1.1\r\nHost:\r\n'],
    ['no Host', 'HTTP/1.1\r\nAccept: */*\r\n'],
    ['two keys', 'HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\n'],
    ['a coding below chunked', 'HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n'],
    ['chunks over HTTP/1.0', 'HTTP/1.0\r\nTransfer-Encoding: chunked\r\n'],
    ['HTTP/2.0', 'HTTP/2.0\r\nHost: x\r\n'],
    ['HTTP/0.9', 'HTTP/0.9\r\nHost: x\r\n'],
    ['HTTP/1.2', 'HTTP/1.2\r\nHost: x\r\n'],
  ])('%s is rejected', async (_, head) => {
    const bytes = `GET /v1/pets ${head}Authorization: Bearer ${apiKey}\r\n\r\n0\r\n\r\n`;
    const response = await send(bytes);
    expect(response.status).toBe(400);
    expect(JSON.parse(response.body)).toMatchObject({ code: 'invalid_request', status: 400 });
  });

  test.each(['localhost', 'x:8080', '127.0.0.1:1', '[::1]', '[::1]:80', 'ex-ample.test.', 'x:'])(
    'the Host %s is accepted',
    async (host) => {
      const { status } = await send(`GET /v1/pets HTTP/1.1\r\n${hostAndKey.replace('Host: x', `Host: ${host}`)}\r\n`);
      expect(status).toBe(200);
    },
  );

  test.each([
    '/',
    '/healthz',
    '/readyz',
    '/metrics',
    '/docs',
    '/openapi.yaml',
    '/openapi.json',
    '/docs/openapi.json',
    '/docs/start.js',
    '/docs/look.css',
    '/docs/swagger-ui.js',
    '/docs/swagger-ui.css',
  ])('%s allows only GET and HEAD', async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const response = await send(`${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      expect(JSON.parse(response.body)).toMatchObject({ code: 'method_not_allowed' });
    }
  });

  test('a body whose Content-Length is too large is rejected before it arrives', async () => {
    const head = `POST /v1/pets HTTP/1.1\r\n${hostAndKey}Content-Type: application/json\r\nContent-Length: 1048577\r\n\r\n`;
    expect((await send(head)).status).toBe(service.statuses.payload_too_large);
    expect((await send(head.replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n'))).status).toBe(413);
  });

  test('a malformed chunk gets a 400, and is logged with its request', async () => {
    const head = `POST /v1/pets HTTP/1.1\r\n${hostAndKey}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const { status, headers } = await send(`${head}ZZ\r\n`);
    expect(status).toBe(400);
    const entry = written.find(({ requestId }) => requestId === headers.get('x-request-id'));
    expect(entry).toMatchObject({ method: 'POST', path: '/v1/pets', operation: 'createPet', status: 400 });
  });
});
