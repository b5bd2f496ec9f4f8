import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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

test('--curl does not print an argument that is too long for the system', async () => {
  const data = JSON.stringify({ name: 'x'.repeat(120_000), categoryId: 1 });
  const { stdout } = await petctl(['pets', 'create', '--data', '-', '--curl'], { input: data });
  expect(stdout).toMatch(/^echo \S+ \| base64 -d \| curl .* --data-binary @- /);
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
  await petctl(['pets', 'list', '--dry-run'], { env: { XDG_CACHE_HOME: 'relative' } });
  expect(existsSync(join(scratch, 'relative'))).toBe(false);
});

test.each(['18.20.1', '20.19.5'])('petctl under the older Node %s says which version it needs', async (version) => {
  const preload = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const { code, stdout, stderr } = await petctl(['pets', 'list'], { preload });
  expect([code, stdout, stderr]).toEqual([2, '', `petctl needs Node 22 or newer; this is ${version}.\n`]);
});
