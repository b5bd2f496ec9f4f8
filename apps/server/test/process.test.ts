// The process: its settings, keys, log and end. `process.deep.test.ts` and `operating.deep.test.ts` have more of it.
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, rounds } from '@petstore/testing';
import { apiKey } from '@petstore/testing/server';
import { expect, test } from 'vitest';
import { isClosed, linesOf, listPets, runCommand, startForTest } from './listening.ts';
import { bearer, key, openForTest, pet, postHead } from './wire.ts';

test('the first start makes a key, prints it once, and stores its hash; keys are created and revoked while it runs', async () => {
  const folder = join(newFolder(), 'data');
  const env = { PETSTORE_DATA_DIR: folder, PETSTORE_API_KEYS: undefined };
  const first = await startForTest(env);
  expect(first.key).toMatch(/^pk_/);
  expect((await listPets(first.baseUrl, bearer(first.key))).status).toBe(200);
  expect(readFileSync(join(folder, 'keys.json'), 'utf8')).not.toContain(first.key);
  expect(statSync(join(folder, 'keys.json')).mode & 0o077).toBe(0);

  const keys = (...args: string[]) => runCommand(['keys', ...args, '--data-dir', folder]);
  const created = keys('create', '--name', 'nightly');
  expect(created.stderr).toContain(`'nightly' for servers on ${folder}`);
  const made = created.stdout.trim();
  await expect.poll(async () => (await listPets(first.baseUrl, bearer(made))).status).toBe(200);
  expect(keys('list').stdout).toMatch(/^first\t.*\nnightly\t.*\n$/);
  expect(keys('create', '--name', 'nightly')).toMatchObject({
    stdout: '',
    stderr: expect.stringMatching(/^.*exists.*\n$/),
  });
  expect(keys('revoke', 'nightly').status).toBe(0);
  await expect.poll(async () => (await listPets(first.baseUrl, bearer(made))).status).toBe(401);
  await first.kill('SIGTERM');

  const second = await startForTest(env);
  expect(second.stderr()).not.toContain('pk_');
  expect((await listPets(second.baseUrl, bearer(first.key))).status).toBe(200);
});

type Refusal = readonly [what: string, args: string[], env: NodeJS.ProcessEnv, message: string];

const refusalsOfSettings: readonly Refusal[] = [
  ['a misspelt variable', [], { PETSTORE_LOG_LEVLE: 'info' }, 'did you mean PETSTORE_LOG_LEVEL?'],
  ['a port in the variable of Kubernetes', [], { PETSTORE_PORT: '80' }, 'PETSTORE_PORT'],
  ['a variable of nothing', [], { PETSTORE_COLOUR: 'red' }, 'PETSTORE_COLOUR'],
  ['a misspelt flag', ['--prot', '1'], {}, '--port'],
  ['an invalid value', [], { PETSTORE_BODY_LIMIT: '1e6' }, 'a number from 1'],
];

/** They take longer, because the server is loaded before. */
const refusalsOfServers: readonly Refusal[] = [
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
];

test.each(rounds(refusalsOfSettings, [...refusalsOfSettings, ...refusalsOfServers]))(
  'a start is refused in one line, and leaves nothing behind: %s',
  (_, args, env, message) => {
    const folder = join(newFolder(), 'data');
    const refused = runCommand(args, { PETSTORE_DATA_DIR: folder, ...env });
    // Commander adds what was probably meant.
    const [line = '', ...more] = refused.stderr.trimEnd().split('\n');
    expect(line).toMatch(/^(petstore-server|error): /);
    expect(more.filter((each) => !each.startsWith('(Did you mean'))).toEqual([]);
    expect(refused.stderr).toContain(message);
    expect([refused.stdout, refused.status === 0, existsSync(folder)]).toEqual(['', false, false]);
  },
);

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

test.each(['create', 'list', 'revoke first'])(
  'with keys in the variable, which servers take then, the command is refused: keys %s',
  (command) => {
    const folder = newFolder();
    runCommand(['keys', 'create', '--name', 'first', '--data-dir', folder]);
    const env = { PETSTORE_DATA_DIR: folder, PETSTORE_API_KEYS: apiKey };
    const { status, stdout, stderr } = runCommand(['keys', ...command.split(' ')], env);
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining('PETSTORE_API_KEYS')]);
  },
);

test('a line of the log says who asked for what, and probes have none', async () => {
  const server = await startForTest({
    PETSTORE_TRUST_PROXY: '1',
    PETSTORE_API_KEYS: `shop=${apiKey}`,
  });
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const parentId = 'b7ad6b7169203331';
  const traceparent = `00-${traceId}-${parentId}-01`;
  for (const path of ['/healthz', '/readyz', '/metrics']) await fetch(server.origin + path);
  await listPets(server.baseUrl, {
    ...key,
    'x-request-id': 'mine',
    traceparent,
    'x-forwarded-for': '9.9.9.9, 1.2.3.4',
  });
  const who = { operation: 'listPets', key: 'shop', client: '1.2.3.4', traceId, parentId };
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect(await linesOf(server, 'mine')).toMatchObject([
    { time, method: 'GET', path: '/v1/pets', status: 200, ...who },
  ]);
  expect(server.stdout()).not.toMatch(/healthz|readyz|metrics/);
  expect(server.stdout()).not.toContain(apiKey);
});

test('SIGTERM finishes the requests in flight, and what they did is there after the next start', async () => {
  const folder = newFolder();
  const server = await startForTest({ PETSTORE_DATA_DIR: folder });
  const wire = openForTest(server.origin);
  const body = pet('in flight');
  wire.send(`${postHead}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`);
  await once(wire.socket, 'data');
  const ended = once(server.child, 'exit');
  server.child.kill('SIGTERM');
  await expect.poll(() => isClosed(server.origin)).toBe(true);
  wire.send(body);
  const [response] = await wire.ended();
  expect(response?.status).toBe(201);
  expect(await ended).toEqual([0, null]);
  const next = await startForTest({ PETSTORE_DATA_DIR: folder });
  expect(await (await listPets(next.baseUrl)).text()).toContain('in flight');
});
