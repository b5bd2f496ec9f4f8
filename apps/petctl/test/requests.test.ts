import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { petctl, scratch } from './petctl.ts';
import { record } from './recorder.ts';

test('--data is the body, and flags override it', async () => {
  const { requests, env } = await record(() => ({ status: 201, body: {} }));
  await petctl(['pets', 'create', '--data', '{"name":"A","categoryId":1}', '--name', 'B'], { env });
  // With a byte order mark, as some editors write it.
  await petctl(['pets', 'create', '-d', '-', '--category-id', '2'], { env, input: '\ufeff{"name":"A"}' });
  expect(requests.map(({ body }) => JSON.parse(body))).toEqual([
    { name: 'B', categoryId: 1 },
    { name: 'A', categoryId: 2 },
  ]);
});

describe('petctl api', () => {
  test('sends any request', async () => {
    const { requests, env } = await record(() => ({ body: [{ a: 1 }, { b: 'x' }] }));
    expect((await petctl(['api', 'get', '/pets', '-f', 'limit=5', '-f', 'a=b c'], { env })).stdout).toBe(
      '[\n{"a":1},\n{"b":"x"}\n]\n',
    );
    await petctl(['api', 'POST', '/pets', '-f', 'name=7', '-f', 'categoryId=7', '-f', 'more:=[1]'], { env });
    await petctl(['api', 'PUT', '/x', '--input', '-'], { env, input: '{"raw":true}' });
    expect((await petctl(['api', 'GET', '/x', '-o', 'csv'], { env })).stdout).toBe('a,b\n1,\n,x\n');
    expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/v1/pets?limit=5&a=b%20c', ''],
      ['POST', '/v1/pets', '{"name":"7","categoryId":7,"more":[1]}'],
      ['PUT', '/v1/x', '{"raw":true}'],
      ['GET', '/v1/x', ''],
    ]);
  });

  test('--curl prints the request', async () => {
    const { stdout } = await petctl(['api', 'DELETE', '/x', '--curl'], {});
    expect(stdout).toContain('-X DELETE');
    // With -X HEAD, curl would wait for a body.
    expect((await petctl(['api', 'HEAD', '/x', '--curl'], {})).stdout).toMatch(/^curl --globoff --head -H /);
    expect((await petctl(['api', 'GET', '/x', '-H', 'X-Empty:', '--curl'], {})).stdout).toContain(" -H 'x-empty;' ");
  });

  test('--curl does not print an argument that is too long for the system', async () => {
    const field = `a=${'x'.repeat(60_000)}`;
    const { stdout } = await petctl(['api', 'POST', '/x', '-f', field, '-f', field.replace('a', 'b'), '--curl'], {});
    expect(stdout).toMatch(/^echo \S+ \| base64 -d \| curl .* --data-binary @- /);
  });
});

test('-v prints each request, -vv all details, and neither the key', async () => {
  const { env } = await record(() => ({ body: [], headers: { 'x-request-id': 'abc', 'x-echo': 'k'.repeat(20) } }));
  const brief = await petctl(['pets', 'list', '-v'], { env });
  expect(brief.stderr).toMatch(/^> GET http:\S+\n< 200 in \d+ ms, 2 bytes, request abc\n$/);
  const full = await petctl(['pets', 'list', '-vv'], { env });
  expect(full.stderr).toContain('> authorization: Bearer ***\n');
  expect(full.stderr).toContain('< x-echo: ***\n');
  expect(full.stderr).not.toContain(env.PETCTL_API_KEY);
});

test('a key that the service echoes is not printed in a message', async () => {
  const { env } = await record(({ headers }) => ({
    status: 401,
    body: { code: 'unauthorized', message: `no ${headers.authorization}`, status: 401 },
  }));
  for (const args of [
    ['pets', 'list'],
    ['api', 'GET', '/pets'],
    ['auth', 'status'],
    ['pets', 'list', '-o', 'json'],
  ])
    expect((await petctl(args, { env })).stderr).toMatch(/^(?!.*k{20}).*no Bearer \*\*\*/);
});

test('a call does not load undici or fetch', async () => {
  const { env } = await record(() => ({ body: [] }));
  const preload = "process.on('exit', () => console.error(JSON.stringify(process.moduleLoadList)))";
  const { code, stderr } = await petctl(['pets', 'list'], { env, preload });
  expect(code).toBe(0);
  const loaded: string[] = JSON.parse(stderr);
  expect(loaded.filter((name) => /undici|child_process|https/.test(name))).toEqual([]);
  expect(loaded).toContain('NativeModule _http_client');
});

test('a relative XDG_CACHE_HOME is ignored', async () => {
  await petctl(['version'], { env: { XDG_CACHE_HOME: 'relative' } });
  expect(existsSync(join(scratch, 'relative'))).toBe(false);
});

test.each(['18.20.1', '20.8.1'])('petctl under the older Node %s says which version it needs', async (version) => {
  const preload = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const { code, stdout, stderr } = await petctl(['pets', 'list'], { preload });
  expect([code, stdout, stderr]).toEqual([2, '', `petctl needs Node 20.9 or newer; this is ${version}.\n`]);
});
