import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Serving, serveDocs } from './serving.ts';

const written = fs.readFileSync(fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml')), 'utf8');

describe('the routes of the docs page', () => {
  let server: Serving;
  beforeAll(async () => {
    server = await serveDocs();
  });
  afterAll(() => server.close());

  const get = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${server.port}${path}`, { redirect: 'manual', ...init });

  test('the root redirects to the page', async () => {
    const response = await get('/');
    expect(response.status).toBe(302);
    expect(new URL(response.headers.get('location') ?? '', response.url).pathname).toBe('/docs');
  });

  test('the spec is served unchanged as YAML, and as JSON', async () => {
    const yaml = await get('/openapi.yaml');
    expect(yaml.headers.get('content-type')).toBe('application/yaml');
    expect(await yaml.text()).toBe(written);
    const json = await get('/openapi.json');
    expect(json.headers.get('content-type')).toBe('application/json');
    expect(await json.json()).toEqual(parse(written));
  });

  test('every file of the page exists; the page has no inline code and names no other origin', async () => {
    const html = await (await get('/docs')).text();
    const named = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address);
    expect(named).toContain('docs/start.js');
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
    for (const address of named.filter((each) => each !== 'data:,')) {
      expect(address).toMatch(/^[a-z]/);
      expect(address).not.toContain(':');
      expect((await get(`/${address}`)).status, address).toBe(200);
    }
  });

  const paths = [
    '/openapi.yaml',
    '/openapi.json',
    '/docs',
    '/docs/openapi.json',
    '/docs/start.js',
    '/docs/swagger-ui.js',
  ];

  test.each(paths)('%s can be cached, and is revalidated', async (path) => {
    const response = await get(path);
    const length = (await response.arrayBuffer()).byteLength;
    const tag = response.headers.get('etag') ?? '';
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    // Node's fetch sends a Cache-Control that forbids cached responses, unless the caller sends one.
    const again = await get(path, { headers: { 'If-None-Match': tag, 'Cache-Control': 'max-age=0' } });
    expect(again.status).toBe(304);
    const head = await get(path, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag'), head.headers.get('content-length')]).toEqual([
      200,
      tag,
      `${length}`,
    ]);
    expect(await head.text()).toBe('');
  });

  test.each(['/', ...paths])('%s forbids other origins by its content security policy', async (path) => {
    const { headers } = await get(path);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('only GET and HEAD are allowed, and only the exact paths', async () => {
    const posted = await get('/docs', { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await posted.json()).toMatchObject({ code: 'method_not_allowed', status: 405 });
    for (const path of ['/Docs', '/docs/', '/docs/docs.ts', '/docs/../package.json', '/docs/%2e%2e%2fdocs.ts']) {
      expect((await get(path)).status, path).toBe(404);
    }
  });

  test('a file that cannot be read is read again for the next request', async () => {
    const fresh = await serveDocs();
    const status = async (path: string) => (await fetch(`http://127.0.0.1:${fresh.port}${path}`)).status;
    expect(await status('/docs')).toBe(200);
    const { readFileSync } = fs;
    fs.readFileSync = () => {
      throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    };
    syncBuiltinESMExports();
    const failed = await status('/docs/look.css');
    fs.readFileSync = readFileSync;
    syncBuiltinESMExports();
    expect([failed, await status('/docs/look.css')]).toEqual([500, 200]);
    await fresh.close();
  });

  test('the API has no content security policy', async () => {
    const response = await get('/v1/pets');
    expect([response.status, response.headers.get('content-security-policy')]).toEqual([401, null]);
  });
});
