import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { missingProgram, skips } from '@petstore/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { petctl, scratch } from './petctl.ts';
import { listen } from './recorder.ts';

const hasNoCertificates = skips('TLS through a proxy', missingProgram('openssl', ['version']), 'openssl');

/** Creates a key and a self-signed certificate for a host, and for 127.0.0.1. */
function certify(host: string): { key: string; certificate: string } {
  const [key, certificate] = [join(scratch, 'key.pem'), join(scratch, 'certificate.pem')];
  const kind = '-x509 -nodes -days 2 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1'.split(' ');
  const about = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host},IP:127.0.0.1`];
  execFileSync('openssl', ['req', ...kind, ...about, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  return { key, certificate };
}

const received: string[] = [];

let proxy: string;
let secure: number;
let certificate: string;

beforeAll(async () => {
  const files = hasNoCertificates ? undefined : certify('petstore.test');
  certificate = files?.certificate ?? '';
  if (files) {
    const tls = { key: readFileSync(files.key), cert: readFileSync(files.certificate) };
    const service = createSecureServer(tls, (request, response) => {
      received.push(`secure ${request.url}`);
      response.setHeader('content-type', 'application/json').end('[{"id":1,"name":"behind"}]');
    });
    secure = await listen(service);
  }
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${request.headers.host} ${request.headers['proxy-authorization']}`);
    response.setHeader('content-type', 'application/json').end('[{"id":1,"name":"plain"}]');
  });
  // Only the proxy can resolve petstore.test.
  server.on('connect', (request, socket) => {
    received.push(`CONNECT ${request.url} ${request.headers['proxy-authorization']}`);
    if (request.url?.startsWith('refused')) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const upstream = connect(secure, '127.0.0.1', () => {
      // Any 2xx opens the tunnel (RFC 9110).
      socket.write('HTTP/1.1 299 Connected\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  proxy = `http://me:pass%20word@127.0.0.1:${await listen(server)}`;
});

const credentials = `Basic ${Buffer.from('me:pass word').toString('base64')}`;
const list = (baseUrl: string, env: Record<string, string>) => {
  received.length = 0;
  return petctl(['pets', 'list', '--fields', 'name', '--retries', '0', '--base-url', baseUrl], {
    env: { PETCTL_API_KEY: 'k', ...env },
  });
};

describe('a proxy from the environment', () => {
  test.each(['http_proxy', 'HTTP_PROXY', 'all_proxy'])('%s is used for http', async (name) => {
    expect(await list('http://petstore.test/v1', { [name]: proxy })).toMatchObject({ code: 0, stdout: 'plain\n' });
    expect(received).toEqual([`GET http://petstore.test/v1/pets petstore.test ${credentials}`]);
  });

  test('a password without a user name is sent', async () => {
    await list('http://petstore.test/v1', { http_proxy: proxy.replace('me:', ':') });
    const authorization = `Basic ${Buffer.from(':pass word').toString('base64')}`;
    expect(received).toEqual([`GET http://petstore.test/v1/pets petstore.test ${authorization}`]);
  });

  test.skipIf(hasNoCertificates)('https uses a tunnel', async () => {
    const env = { https_proxy: proxy, NODE_EXTRA_CA_CERTS: certificate };
    expect(await list('https://petstore.test/v1', env)).toMatchObject({ code: 0, stdout: 'behind\n' });
    expect(received).toEqual([`CONNECT petstore.test:443 ${credentials}`, 'secure /v1/pets']);
  });

  test.skipIf(hasNoCertificates)('https to an IP address uses a tunnel, too', async () => {
    const env = { https_proxy: proxy, NODE_EXTRA_CA_CERTS: certificate };
    expect(await list('https://127.0.0.1/v1', env)).toMatchObject({ code: 0, stdout: 'behind\n', stderr: '' });
  });

  test.skipIf(hasNoCertificates)(
    'the errors for an untrusted certificate and for a refused tunnel say what to check',
    async () => {
      expect(await list('https://petstore.test/v1', { https_proxy: proxy })).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(
          /https:\/\/petstore\.test\/v1 could not be reached \(.*CERT.*\).*NODE_EXTRA_CA_CERTS/,
        ),
      });
      expect(await list('https://refused.test/v1', { https_proxy: proxy })).toMatchObject({
        code: 3,
        stderr: expect.stringContaining(`through the proxy ${new URL(proxy).origin} (the proxy responded 403). Check`),
      });
    },
  );

  test.each(['http', 'https'])(
    'a proxy for %s that cannot be reached is named, without its credentials',
    async (scheme) => {
      const dead = { [`${scheme}_proxy`]: 'http://me:secret@127.0.0.1:1' };
      const { code, stderr } = await list(`${scheme}://petstore.test/v1`, dead);
      expect([code, stderr.split('\n').at(-2)]).toEqual([
        3,
        `petctl: ${scheme}://petstore.test/v1 could not be reached through the proxy http://127.0.0.1:1 (ECONNREFUSED). ` +
          `Check the proxy, or change ${scheme}_proxy or all_proxy.`,
      ]);
    },
  );

  test('an invalid proxy address is an error', async () => {
    for (const bad of ['socks5://x:1', 'http://', 'http://a%zz:b@127.0.0.1:1', 'http://a:%ff@127.0.0.1:1'])
      expect(await list('http://petstore.test/v1', { http_proxy: bad })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('http_proxy'),
      });
  });
});

test.each([
  ['http://a.test/', 'a.test', false],
  ['http://x.a.test/', 'a.test', false],
  ['http://x.a.test/', '.a.test', false],
  ['http://xa.test/', 'a.test', true],
  ['http://a.test/', '*', false],
  ['http://a.test:81/', 'a.test:80', true],
  ['http://a.test:81/', 'b, a.test:81', false],
  ['http://a.test/', 'a.test:80', false],
  ['http://[::1]:81/', '::1', false],
  ['http://[::1]:81/', '[::1]:81', false],
  ['http://[::80]/', '::80', false],
  ['http://127.0.0.1/', 'localhost', true],
])('%s with no_proxy=%s uses the proxy: %s', async (url, no_proxy, proxied) => {
  await list(`${url}v1`, { http_proxy: proxy, no_proxy, PETCTL_TIMEOUT: '5s' });
  expect(received.length > 0).toBe(proxied);
});
