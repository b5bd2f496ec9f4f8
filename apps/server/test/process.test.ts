// The process with its settings, keys, folder, export and import.
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeep, newFolder } from '@petstore/testing';
import { apiKey, runServer } from '@petstore/testing/server';
import { expect, onTestFinished, test } from 'vitest';
import { environment, main, runCommand, startForTest } from './listening.ts';
import { json, key } from './wire.ts';

const list = (baseUrl: string, apiKey: string) =>
  fetch(`${baseUrl}/pets?limit=100`, { headers: { authorization: `Bearer ${apiKey}` } });
const create = (baseUrl: string, body: string) =>
  fetch(`${baseUrl}/pets`, { method: 'POST', headers: { ...key, ...json }, body });

test('the first start makes a key, prints it once, and stores its hash; keys are created and revoked while it runs', async () => {
  const folder = join(newFolder(), 'data');
  const env = { PETSTORE_DATA_DIR: folder, PETSTORE_API_KEYS: undefined };
  const first = await startForTest(env);
  expect(first.key).toMatch(/^pk_/);
  expect((await list(first.baseUrl, first.key)).status).toBe(200);
  expect(readFileSync(join(folder, 'keys.json'), 'utf8')).not.toContain(first.key);
  expect(statSync(join(folder, 'keys.json')).mode & 0o077).toBe(0);

  const keys = (...args: string[]) => runCommand(['keys', ...args, '--data-dir', folder]);
  const created = keys('create', '--name', 'nightly');
  const made = created.stdout.trim();
  await expect.poll(async () => (await list(first.baseUrl, made)).status).toBe(200);
  expect(keys('list').stdout).toMatch(/^first\t.*\nnightly\t.*\n$/);
  expect(keys('create', '--name', 'nightly')).toMatchObject({
    stdout: '',
    stderr: expect.stringMatching(/^.*exists.*\n$/),
  });
  expect(keys('revoke', 'nightly').status).toBe(0);
  await expect.poll(async () => (await list(first.baseUrl, made)).status).toBe(401);
  await first.kill('SIGTERM');

  const second = await startForTest(env);
  expect(second.stderr()).not.toContain('pk_');
  expect((await list(second.baseUrl, first.key)).status).toBe(200);
});

test('configured keys are the only ones, and are neither stored nor shown', async () => {
  const folder = join(newFolder(), 'data');
  const keys = `ci=${apiKey},a-second-key-for-tests`;
  const server = await startForTest({ PETSTORE_DATA_DIR: folder, PETSTORE_API_KEYS: keys });
  for (const valid of [apiKey, 'a-second-key-for-tests'])
    expect((await list(server.baseUrl, valid)).status).toBe(200);
  expect((await list(server.baseUrl, 'ci')).status).toBe(401);
  await server.kill('SIGTERM');
  expect(existsSync(join(folder, 'keys.json'))).toBe(false);
  expect(server.stdout() + server.stderr()).not.toContain('for-tests');
});

test.each<[string, string[], NodeJS.ProcessEnv, string]>([
  ['a misspelt variable', [], { PETSTORE_LOG_LEVLE: 'info' }, 'did you mean PETSTORE_LOG_LEVEL?'],
  ['a port in the variable of Kubernetes', [], { PETSTORE_PORT: '80' }, 'PETSTORE_PORT'],
  ['a variable of nothing', [], { PETSTORE_COLOUR: 'red' }, 'PETSTORE_COLOUR'],
  ['a misspelt flag', ['--prot', '1'], {}, '--port'],
  ['an invalid value', [], { PETSTORE_BODY_LIMIT: '1e6' }, 'a number from 1'],
  ['a key that is empty', [], { PETSTORE_API_KEYS: 'a-long-enough-key,' }, 'entry 2 is empty'],
  ['a key that can be guessed', [], { PETSTORE_API_KEYS: 'me=x' }, 'less than 16 characters'],
  [
    'a database without configured keys',
    [],
    { DATABASE_URL: 'postgres://127.0.0.1:1/x' },
    'set PETSTORE_API_KEYS',
  ],
  [
    'several databases',
    [],
    { DATABASE_URL: 'postgres://a,b/x', PETSTORE_API_KEYS: apiKey },
    'several hosts',
  ],
  ['an address that another machine has', [], { HOST: '192.0.2.1' }, 'HOST'],
])('a start is refused in one line, and leaves nothing behind: %s', (_, args, env, message) => {
  const folder = join(newFolder(), 'data');
  const refused = runCommand(args, { PETSTORE_DATA_DIR: folder, ...env });
  // Commander adds what was probably meant.
  const [line = '', ...more] = refused.stderr.trimEnd().split('\n');
  expect(line).toMatch(/^(petstore-server|error): /);
  expect(more.filter((each) => !each.startsWith('(Did you mean'))).toEqual([]);
  expect(refused.stderr).toContain(message);
  expect([refused.stdout, refused.status === 0, existsSync(folder)]).toEqual(['', false, false]);
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

test.runIf(isDeep)(
  'a key without a name has a name of its own, wherever it is in the list',
  async () => {
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
  },
);

test('keys whose file is gone stay valid until the server stops, and the log says so once', async () => {
  const folder = newFolder();
  const env = { PETSTORE_DATA_DIR: folder, PETSTORE_API_KEYS: undefined };
  const server = await startForTest(env);
  rmSync(join(folder, 'keys.json'));
  await expect.poll(() => server.stdout()).toContain('keys.json is gone');
  expect((await list(server.baseUrl, server.key)).status).toBe(200);
  // A server looks once a second.
  await pause(2500);
  expect(server.stdout().match(/is gone/g)).toHaveLength(1);
});

test('commands on a folder without keys say so', () => {
  const folder = join(newFolder(), 'mistyped');
  for (const command of [['list'], ['revoke', 'first']]) {
    const { status, stdout, stderr } = runCommand(['keys', ...command, '--data-dir', folder]);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`There are no keys in ${folder}`);
  }
  expect(existsSync(folder)).toBe(false);
});

test('a key that cannot be stored leaves nothing behind, and the message says what to do', () => {
  const folder = newFolder();
  // A folder where the file has to be.
  mkdirSync(join(folder, 'keys.json', 'x'), { recursive: true });
  const file = join(newFolder(), 'file');
  writeFileSync(file, '');
  const wanted = { [folder]: 'keys.json', [file]: 'is not a folder', '/proc/x': 'cannot be made' };
  for (const [dataDir, message] of Object.entries(wanted)) {
    const { status, stderr } = runCommand(['keys', 'create', '--data-dir', dataDir]);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  }
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
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

test('the help shows every setting with its variable', () => {
  const { stdout, status } = runCommand(['--help']);
  const names =
    'HOST PORT DATABASE_URL PETSTORE_DATA_DIR PETSTORE_API_KEYS PETSTORE_BODY_LIMIT PETSTORE_REQUEST_TIMEOUT';
  const more =
    'DRAIN_DELAY SHUTDOWN_TIMEOUT ADMIN_PORT TRUST_PROXY CORS_ORIGIN RATE_LIMIT LOG_LEVEL VALIDATE_RESPONSES';
  for (const name of [...names.split(' '), ...more.split(' ').map((each) => `PETSTORE_${each}`)])
    expect(stdout).toContain(name);
  expect(status).toBe(0);
});

test('a key for servers that take those of their variable is not made', () => {
  const env = { PETSTORE_DATA_DIR: newFolder(), PETSTORE_API_KEYS: apiKey };
  const { status, stdout, stderr } = runCommand(['keys', 'create'], env);
  expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining('PETSTORE_API_KEYS')]);
});

test("with an admin port, the operators' paths are only there, and count the requests of the other", async () => {
  const { origin, adminOrigin, baseUrl } = await startForTest({ PETSTORE_ADMIN_PORT: '0' });
  await list(baseUrl, apiKey);
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
  const served = await (await list(first.baseUrl, apiKey)).text();
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
  expect(await (await list(second.baseUrl, apiKey)).text()).toBe(served);
  expect(
    await (await create(second.baseUrl, '{"name":"next","categoryId":1}')).json(),
  ).toMatchObject({ id: 3 });
});
