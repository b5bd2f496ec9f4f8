// Which address a command calls. Proxies and CA files from the environment, and no variable that is misspelt.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { missingProgram, skips } from '@petstore/testing';
import { deployments } from '@petstore/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { petctlBinary, petctlNode } from './binary.ts';
import { petctl } from './run.ts';
import { scratch } from './scratch.ts';
import { record, serve } from './services.ts';

const received: string[] = [];
let proxy: string;
let certificate: string;

const hasNoProxies =
  skips('TLS through a proxy', missingProgram('openssl', ['version']), 'openssl') ||
  skips(
    'petctl and proxies',
    execFileSync(petctlNode, ['-p', 'process.allowedNodeEnvironmentFlags.has("--use-env-proxy")'], {
      encoding: 'utf8',
    }).trim() === 'true'
      ? undefined
      : 'this Node knows no proxies',
  );

beforeAll(async () => {
  if (hasNoProxies) return;
  certificate = join(scratch, 'certificate.pem');
  const keyFile = join(scratch, 'key.pem');
  const kind = '-x509 -nodes -days 2 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1'.split(' ');
  const about = [
    '-subj',
    '/CN=petstore.test',
    '-addext',
    'subjectAltName=DNS:petstore.test,IP:127.0.0.1',
  ];
  execFileSync('openssl', ['req', ...kind, ...about, '-keyout', keyFile, '-out', certificate], {
    stdio: 'pipe',
  });
  const secure = createSecureServer({
    key: readFileSync(keyFile),
    cert: readFileSync(certificate),
  });
  const { port } = new URL(
    await serve((request, response) => {
      received.push(`secure ${request.url}`);
      response.setHeader('content-type', 'application/json').end('[{"id":1,"name":"behind"}]');
    }, secure),
  );
  const server = createServer();
  // Only the proxy can resolve petstore.test.
  server.on('connect', (request, socket) => {
    received.push(`CONNECT ${request.url} ${request.headers['proxy-authorization']}`);
    if (request.url?.startsWith('refused')) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const upstream = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  const origin = await serve((request, response) => {
    received.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`);
    response.setHeader('content-type', 'application/json').end('[{"id":1,"name":"plain"}]');
  }, server);
  proxy = origin.replace('//', '//me:pass%20word@');
});

const credentials = `Basic ${Buffer.from('me:pass word').toString('base64')}`;
const list = (baseUrl: string, env: Record<string, string>, run = petctl) => {
  received.length = 0;
  const args = ['pets', 'list', '--fields', 'name', '--retries', '0', '--base-url', baseUrl];
  return run(args, { PETCTL_API_KEY: 'k', ...env });
};

describe.skipIf(hasNoProxies)('a proxy from the environment', () => {
  test.each(['http_proxy', 'HTTP_PROXY'])('%s is used for http', async (name) => {
    expect(await list('http://petstore.test/v1', { [name]: proxy })).toMatchObject({
      code: 0,
      stdout: 'plain\n',
    });
    expect(received).toEqual([`GET http://petstore.test/v1/pets ${credentials}`]);
  });

  test('https_proxy opens a tunnel, and NODE_EXTRA_CA_CERTS names the certificate', async () => {
    // Node reads the file when its process starts.
    const env = { https_proxy: proxy, NODE_EXTRA_CA_CERTS: certificate };
    for (const host of ['petstore.test', '127.0.0.1'])
      expect(await list(`https://${host}/v1`, env, petctlBinary)).toMatchObject({
        code: 0,
        stdout: 'behind\n',
      });
    expect(received).toEqual([`CONNECT 127.0.0.1:443 ${credentials}`, 'secure /v1/pets']);
  });

  test('a host without a scheme is an HTTP proxy', async () => {
    const http_proxy = new URL(proxy).host;
    expect(await list('http://petstore.test/v1', { http_proxy })).toMatchObject({
      code: 0,
      stdout: 'plain\n',
    });
    expect(received).toEqual(['GET http://petstore.test/v1/pets undefined']);
  });

  test('the variable of another protocol is not read', async () => {
    const { env, requests } = await record(() => ({ body: [] }));
    const url = env.PETCTL_BASE_URL;
    const socks = 'socks5://user:secret@127.0.0.1:1';
    expect(await list(url, { https_proxy: socks })).toMatchObject({ code: 0 });
    const { hostname, host } = new URL(url);
    for (const no_proxy of ['*', hostname, host, `other.test, ${hostname}`])
      expect(await list(url, { http_proxy: socks, no_proxy })).toMatchObject({ code: 0 });
    expect(requests.length).toBe(5);
    expect(await list(url, { http_proxy: socks, no_proxy: `${hostname}:1` })).toMatchObject({
      code: 2,
      stderr:
        'petctl: http_proxy is not the address of an HTTP proxy. Use an address such as http://proxy:3128, or name the host in no_proxy.\n',
    });
  });

  test('the hosts in no_proxy are called directly', async () => {
    const { env, requests } = await record(() => ({ body: [] }));
    const url = env.PETCTL_BASE_URL;
    await list(url, { http_proxy: proxy, no_proxy: '127.0.0.1' });
    expect({ requests: requests.length, received }).toEqual({ requests: 1, received: [] });
    await list(url, { http_proxy: proxy, no_proxy: 'other.test' });
    expect({ requests: requests.length, received: received.length }).toEqual({
      requests: 1,
      received: 1,
    });
  });

  test('the errors for an untrusted certificate and for a proxy that refuses say what to check', async () => {
    expect(await list('https://petstore.test/v1', { https_proxy: proxy })).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/CERT.*set NODE_EXTRA_CA_CERTS/),
    });
    for (const [url, https_proxy] of [
      ['https://refused.test/v1', proxy],
      ['https://petstore.test/v1', 'http://me:secret@127.0.0.1:1'],
      ['https://petstore.test/v1', 'http://a:%ff@127.0.0.1:1'],
    ] as const) {
      const { code, stderr } = await list(url, { https_proxy });
      expect({ code, stderr }).toEqual({
        code: 3,
        stderr: expect.stringContaining('and the proxy, if there is one.'),
      });
      expect(stderr).not.toMatch(/secret|pass/);
    }
  });
});

describe('a base URL and a deployment', () => {
  const both = { PETCTL_BASE_URL: 'http://127.0.0.1:1/v1', PETCTL_DEPLOYMENT: 'staging' };

  test.each([
    [
      ['--base-url', 'http://127.0.0.1:1/v1', '--deployment', 'staging'],
      {},
      '--base-url and --deployment',
    ],
    [[], both, 'PETCTL_BASE_URL and PETCTL_DEPLOYMENT'],
    [['--base-url', 'http://127.0.0.1:2/v1'], both, 'PETCTL_BASE_URL and PETCTL_DEPLOYMENT'],
  ])('are refused if both are flags or both are variables: %j %j', async (args, env, names) => {
    const { code, stderr } = await petctl(['pets', 'list', ...args], {
      PETCTL_API_KEY: 'k',
      ...env,
    });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `petctl: ${names} both say where the service is. Set only one of them.\n`,
    });
  });

  test('may be a flag and a variable: the flag takes precedence, and the key stays with its address', async () => {
    const args = ['pets', 'list', '--deployment', 'staging'];
    const env = { PETCTL_API_KEY: 'k', PETCTL_BASE_URL: 'http://127.0.0.1:1/v1' };
    const { code, stderr } = await petctl(args, env);
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringContaining('PETCTL_API_KEY is for http://127.0.0.1:1/v1.'),
    });
    expect(stderr).toContain(`There is no API key for ${deployments.staging}.`);
  });
});

describe('a misspelt variable is refused', () => {
  test.each([
    [
      { PETCTL_BASEURL: 'x' },
      'PETCTL_BASEURL in the environment',
      "Did you mean 'PETCTL_BASE_URL'?",
    ],
    [{ PETCTL_OUTPT: 'json' }, 'PETCTL_OUTPT in the environment', "Did you mean 'PETCTL_OUTPUT'?"],
    [{ PETCTL_RETRIES: 'many' }, 'PETCTL_RETRIES must be a whole number', "not 'many'"],
  ])('%j', async (env, message, hint) => {
    const { code, stderr } = await petctl(['pets', 'list'], env);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(stderr).toContain(hint);
  });

  test('but not an empty one', async () => {
    const { env } = await record(() => ({ body: [] }));
    expect(await petctl(['pets', 'list'], { ...env, PETCTL_BASEURL: '' })).toMatchObject({
      code: 0,
    });
  });
});
