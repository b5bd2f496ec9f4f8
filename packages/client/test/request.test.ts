import { deployments } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import { atServer } from '../src/call.ts';
import { connect, NotFoundError, request } from '../src/index.ts';
import { respond, respondError, stubServer } from './stub-server.ts';

test('a request that the spec does not describe is sent with the key, and retried if that is safe', async () => {
  const { baseUrl, requests } = await stubServer(respondError(503, 'unavailable'), respond(200, [1]));
  const connection = connect({ apiKey: 'k', baseUrl, retry: { base: 1, cap: 1 } });
  const { text, response } = await request(connection, { method: 'GET', path: '/things?a=1' });
  expect([text, response.status]).toEqual(['[1]', 200]);
  expect(requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/v1/things?a=1', 'Bearer k'],
    ['/v1/things?a=1', 'Bearer k'],
  ]);
});

test('a request that the spec does not describe fails with the errors of any other call', async () => {
  const { baseUrl } = await stubServer(respondError(404, 'not_found'));
  const call = request(connect({ apiKey: 'k', baseUrl }), { method: 'GET', path: '/none' });
  await expect(call).rejects.toBeInstanceOf(NotFoundError);
});

test('the message of an error does not contain the query, which may contain a credential', async () => {
  const connection = connect({ apiKey: 'k', baseUrl: 'http://pets.test/v1', transport: () => new Promise(() => {}) });
  const call = request(connection, { method: 'GET', path: '/things?token=secret' }, { timeout: 10 });
  await expect(call).rejects.toMatchObject({ name: 'TimeoutError', message: 'GET /things timed out' });
});

describe('the server that the spec declares for one operation', () => {
  const baseUrlAt = (baseUrl: string, server: string) => atServer(connect({ baseUrl, apiKey: 'k' }), server).baseUrl;

  test('replaces a deployment', () => {
    expect(baseUrlAt(deployments.production, 'https://files.example.com/v2/')).toBe('https://files.example.com/v2');
    expect(baseUrlAt(deployments.production.replace('127.0.0.1', '127.1'), 'https://files.example.com:443')).toBe(
      'https://files.example.com',
    );
    expect(baseUrlAt(`${deployments.staging}/`, 'https://files.example.com')).toBe('https://files.example.com');
  });

  test('may be relative to the deployment', () => {
    expect(baseUrlAt(deployments.production, '/files/v2')).toBe(`${new URL(deployments.production).origin}/files/v2`);
  });

  test('does not replace an address that is no deployment', () => {
    expect(baseUrlAt('http://127.0.0.1:9/v1', 'https://files.example.com')).toBe('http://127.0.0.1:9/v1');
  });
});
