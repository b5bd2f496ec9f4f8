// The process with its settings, keys, folder, export and import: what `process.test.ts` leaves out, because it starts many.
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { newFolder } from '@petstore/testing';
import { apiKey, runServer } from '@petstore/testing/server';
import { expect, onTestFinished, test } from 'vitest';
import { environment, listPets, main, runCommand, startForTest } from './listening.ts';
import { bearer, json, key } from './wire.ts';

const create = (baseUrl: string, body: string) =>
  fetch(`${baseUrl}/pets`, { method: 'POST', headers: { ...key, ...json }, body });

test('configured keys are the only ones, and are neither stored nor shown', async () => {
  const folder = join(newFolder(), 'data');
  const keys = `ci=${apiKey},a-second-key-for-tests`;
  const server = await startForTest({ PETSTORE_DATA_DIR: folder, PETSTORE_API_KEYS: keys });
  for (const valid of [apiKey, 'a-second-key-for-tests'])
    expect((await listPets(server.baseUrl, bearer(valid))).status).toBe(200);
  expect((await listPets(server.baseUrl, bearer('ci'))).status).toBe(401);
  await server.kill('SIGTERM');
  expect(existsSync(join(folder, 'keys.json'))).toBe(false);
  expect(server.stdout() + server.stderr()).not.toContain('for-tests');
});

test('a port in use is refused in one line that says how to choose another, and nothing is left behind', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => {
    other.close();
  });
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const folder = join(newFolder(), 'data');
  for (const variable of ['PORT', 'PETSTORE_ADMIN_PORT']) {
    const env = environment({
      PETSTORE_DATA_DIR: folder,
      PETSTORE_LOG_LEVEL: 'silent',
      [variable]: String(port),
    });
    const { child, stderr } = runServer(main, { env });
    const [code] = await once(child, 'close');
    expect([code === 0, stderr()]).toEqual([
      false,
      expect.stringMatching(/^petstore-server: .*\n$/),
    ]);
    expect(stderr()).toContain(
      `address already in use 127.0.0.1:${port}; choose another PORT, HOST or`,
    );
    expect(existsSync(folder)).toBe(false);
  }
});

test('a second process on one data folder is refused in one line, and the first works on', async () => {
  const folder = newFolder();
  const first = await startForTest({ PETSTORE_DATA_DIR: folder });
  const { status, stderr } = runCommand([], {
    PETSTORE_DATA_DIR: folder,
    PETSTORE_LOG_LEVEL: 'silent',
  });
  expect([status === 0, stderr]).toEqual([false, expect.stringMatching(/^petstore-server: .*\n$/)]);
  expect(stderr).toContain(folder);
  expect((await create(first.baseUrl, '{"name":"Rex","categoryId":1}')).status).toBe(201);
});

test('a key without a name has a name of its own, wherever it is in the list', async () => {
  const create = async (keys: string) => {
    const server = await startForTest({ PETSTORE_DATA_DIR: folder, PETSTORE_API_KEYS: keys });
    const headers = { ...key, ...json, 'idempotency-key': 'k' };
    const body = '{"name":"Rex","categoryId":1}';
    const response = await fetch(`${server.baseUrl}/pets`, { method: 'POST', headers, body });
    await response.text();
    await server.kill('SIGTERM');
    return response.headers.get('idempotency-replayed');
  };
  const folder = newFolder();
  expect(await create(apiKey)).toBe(null);
  expect(await create(`another-key-for-tests,${apiKey}`)).toBe('true');
});

test('keys whose file is gone stay valid until the server stops, and the log says so once', async () => {
  const folder = newFolder();
  const env = { PETSTORE_DATA_DIR: folder, PETSTORE_API_KEYS: undefined };
  const server = await startForTest(env);
  rmSync(join(folder, 'keys.json'));
  await expect.poll(() => server.stdout()).toContain('keys.json is gone');
  expect((await listPets(server.baseUrl, bearer(server.key))).status).toBe(200);
  // A server looks once a second.
  await pause(2500);
  expect(server.stdout().match(/is gone/g)).toHaveLength(1);
});

test("with an admin port, the operators' paths are only there, and count the requests of the other", async () => {
  const { origin, adminOrigin, baseUrl } = await startForTest({ PETSTORE_ADMIN_PORT: '0' });
  await listPets(baseUrl);
  const metrics = async () => (await fetch(`${adminOrigin}/metrics`)).text();
  await expect.poll(metrics).toContain('{operation="listPets",status="200"} 1');
  for (const path of ['/metrics', '/healthz', '/readyz']) {
    expect((await fetch(adminOrigin + path)).status).toBe(200);
    expect((await fetch(origin + path)).status).toBe(404);
  }
  for (const path of ['/docs', '/v1/pets'])
    expect((await fetch(adminOrigin + path)).status).toBe(404);
});

test('what is exported is imported into another folder, with its identifiers and the next one', async () => {
  const [from, to] = [newFolder(), newFolder()].map((folder) => ({ PETSTORE_DATA_DIR: folder }));
  const first = await startForTest(from);
  await create(first.baseUrl, '{"name":"\\u0000","categoryId":9223372036854775807}');
  await create(first.baseUrl, '{"name":"猫","categoryId":1,"status":"sold"}');
  const served = await (await listPets(first.baseUrl)).text();
  // The server goes on.
  const exported = runCommand(['export'], from);
  expect(exported).toMatchObject({ status: 0, stderr: expect.not.stringContaining('Error') });
  for (const line of exported.stdout.trimEnd().split('\n'))
    expect(JSON.parse(line)).toBeTypeOf('object');
  // An import that was interrupted is repeated.
  expect(
    runCommand(['import'], to, exported.stdout.split('\n').slice(0, 2).join('\n')).status,
  ).not.toBe(0);
  expect(runCommand(['import'], to, exported.stdout).status).toBe(0);
  expect(runCommand(['export'], to).stdout).toBe(exported.stdout);
  const second = await startForTest(to);
  expect(await (await listPets(second.baseUrl)).text()).toBe(served);
  expect(
    await (await create(second.baseUrl, '{"name":"next","categoryId":1}')).json(),
  ).toMatchObject({ id: 3 });
});

test('damaged keys are refused in one line that names the file, and it stays as it is', () => {
  const folder = newFolder();
  const file = join(folder, 'keys.json');
  writeFileSync(file, 'null');
  const { status, stderr } = runCommand([], { PETSTORE_DATA_DIR: folder });
  expect([status === 0, stderr]).toEqual([false, expect.stringMatching(/^petstore-server: .*\n$/)]);
  expect(stderr).toContain(file);
  expect(readFileSync(file, 'utf8')).toBe('null');
});

test('a folder that cannot be looked into is refused in one line', () => {
  const folder = join(newFolder(), 'loop');
  symlinkSync(folder, folder);
  const { status, stderr } = runCommand([], { PETSTORE_DATA_DIR: folder });
  expect([status === 0, stderr]).toEqual([false, expect.stringMatching(/^petstore-server: .*\n$/)]);
  expect(stderr).toContain(`${join(folder, 'keys.json')} cannot be read`);
});

test.each([
  ['status', 'gone', 'document/status', ': available, pending, sold;'],
  ['tags', 'new', 'document must NOT have', ': tags;'],
])("an import names what is wrong with a pet's %s", (property, value, place, rest) => {
  const document = { id: 1, name: 'Rex', categoryId: 2, [property]: value };
  const lines = [
    { format: 'petstore export 1', nextIds: { pets: 2 } },
    { collection: 'pets', document },
    { documents: 1 },
  ];
  const input = lines.map((line) => JSON.stringify(line)).join('\n');
  const env = { PETSTORE_DATA_DIR: newFolder() };
  const { status, stderr } = runCommand(['import'], env, `${input}\n`);
  expect(status).toBe(1);
  expect(stderr).toContain(`petstore-server: Line 2: ${place}`);
  expect(stderr).toContain(rest);
});
