import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newFolder } from '@petstore/testing';
import { apiKey, runServer, startServer } from '@petstore/testing/server';
import { expect, onTestFinished, test } from 'vitest';
import { openWire } from './wire.ts';

const main = fileURLToPath(new URL('../src/main.js', import.meta.url));

/** Runs a command to its end. */
function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { DATABASE_URL: _, ...outside } = process.env;
  return spawnSync(process.execPath, [main, ...args], {
    env: { ...outside, ...env },
    encoding: 'utf8',
    timeout: 30_000,
  });
}

async function start(env: NodeJS.ProcessEnv = {}) {
  const server = await startServer(main, { PETSTORE_LOG_LEVEL: 'info', ...env });
  onTestFinished(async () => {
    if (server.child.exitCode === null) await server.kill();
  });
  return server;
}

const list = (baseUrl: string, key = apiKey, headers = {}) =>
  fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${key}`, ...headers } });

test('the first start makes a key, prints it once, and stores its hash; keys are created and revoked while it runs', async () => {
  const folder = join(newFolder(), 'data');
  const env = { PETSTORE_DATA_DIR: folder, PETSTORE_API_KEYS: undefined };
  const first = await start(env);
  expect(first.key).toMatch(/^pk_/);
  expect((await list(first.baseUrl, first.key)).status).toBe(200);
  expect(readFileSync(join(folder, 'keys.json'), 'utf8')).not.toContain(first.key);

  const created = run(['keys', 'create', '--name', 'nightly', '--data-dir', folder]);
  const key = created.stdout.trim();
  await expect.poll(async () => (await list(first.baseUrl, key)).status, { timeout: 5000 }).toBe(200);
  expect(run(['keys', 'list', '--data-dir', folder]).stdout).toMatch(/^first\t.*\nnightly\t/);
  expect(run(['keys', 'create', '--name', 'nightly', '--data-dir', folder])).toMatchObject({ status: 2 });
  expect(run(['keys', 'revoke', 'nightly', '--data-dir', folder]).status).toBe(0);
  await expect.poll(async () => (await list(first.baseUrl, key)).status, { timeout: 5000 }).toBe(401);
});

test.each([
  ['a misspelt variable', { PETSTORE_LOG_LEVLE: 'info' }, 'did you mean PETSTORE_LOG_LEVEL?'],
  ['an invalid value', { PETSTORE_BODY_LIMIT: '1e6' }, 'a whole number from 1'],
  ['a key that is empty', { PETSTORE_API_KEYS: 'a-long-enough-key,' }, 'entry 2 is empty'],
  ['a database without configured keys', { DATABASE_URL: 'postgres://127.0.0.1:1/x' }, 'set PETSTORE_API_KEYS'],
])('%s is refused, and nothing is left behind', (_, env, message) => {
  const folder = join(newFolder(), 'data');
  const { status, stderr } = run([], { PORT: '0', PETSTORE_DATA_DIR: folder, ...env });
  expect(stderr).toContain(message);
  expect(status).not.toBe(0);
  expect(existsSync(folder)).toBe(false);
});

test('a port in use is refused, and nothing is left behind', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const address = other.address();
  const folder = join(newFolder(), 'data');
  const port = typeof address === 'object' && address ? String(address.port) : '';
  const { child, ended, stderr } = runServer(main, { env: { ...process.env, PORT: port, PETSTORE_DATA_DIR: folder } });
  const closed = once(child, 'close');
  expect((await ended).code).toBe(2);
  await closed;
  expect(stderr()).toContain('is in use');
  expect(existsSync(folder)).toBe(false);
}, 20_000);

test('variables that Kubernetes sets for a service of this name are ignored', async () => {
  const env = {
    PETSTORE_SERVICE_HOST: '10.0.0.1',
    PETSTORE_PORT: 'tcp://10.0.0.1:80',
    PETSTORE_PORT_80_TCP_PORT: '80',
  };
  expect((await list((await start(env)).baseUrl)).status).toBe(200);
});

test('SIGTERM ends a server with idle and half-sent connections within 2 s, and with 0', async () => {
  const { origin, child } = await start();
  const [idle, half] = [openWire(origin), openWire(origin)];
  idle.send(`GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`);
  await idle.until(1);
  half.send('GET /v1/pets HTTP/1.1\r\nHost: x\r\n');
  await fetch(`${origin}/healthz`);
  const begin = performance.now();
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(performance.now() - begin).toBeLessThan(2000);
});

test('during the drain delay, requests are served, and /readyz is 503', async () => {
  const { origin, baseUrl, child } = await start({ PETSTORE_DRAIN_DELAY: '600' });
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  child.kill('SIGTERM');
  await expect.poll(async () => (await fetch(`${origin}/readyz`)).status).toBe(503);
  expect((await list(baseUrl)).status).toBe(200);
});

test("with an admin port, the operators' paths are only there", async () => {
  const { origin, adminOrigin } = await start({ PETSTORE_ADMIN_PORT: '0' });
  for (const path of ['/metrics', '/healthz', '/readyz']) {
    expect((await fetch(adminOrigin + path)).status).toBe(200);
    expect((await fetch(origin + path)).status).toBe(404);
  }
  for (const path of ['/docs', '/v1/pets']) expect((await fetch(adminOrigin + path)).status).toBe(404);
});

test('a line of the log says who asked for what, and probes have none', async () => {
  const server = await start({ PETSTORE_TRUST_PROXY: '1', PETSTORE_API_KEYS: `shop=${apiKey}` });
  const [traceId, parentId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const traceparent = `00-${traceId}-${parentId}-01`;
  await fetch(`${server.origin}/healthz`);
  await list(server.baseUrl, apiKey, { 'x-request-id': 'mine', traceparent, 'x-forwarded-for': '9.9.9.9, 1.2.3.4' });
  await expect.poll(() => server.stdout()).toContain('"mine"');
  const lines = server
    .stdout()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  expect(lines.find(({ requestId }) => requestId === 'mine')).toMatchObject({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    method: 'GET',
    path: '/v1/pets',
    operation: 'listPets',
    key: 'shop',
    client: '1.2.3.4',
    status: 200,
    traceId,
    parentId,
  });
  expect(lines.filter(({ path }) => path === '/healthz')).toEqual([]);
});

test('a closed pipe does not stop a server, nor does a full disk', async () => {
  const { child, baseUrl, ...server } = await start();
  child.stdout?.destroy();
  for (let i = 0; i < 50; i++) expect((await list(baseUrl)).status).toBe(200);
  await server.kill('SIGTERM');
  expect(child.exitCode).toBe(0);
});
