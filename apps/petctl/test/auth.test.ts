// Keys from the environment or `auth login`, stored for each address in the keyring or a private file; never to another address.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { deployments } from '@petstore/types';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { petctl } from './run.ts';
import { scratch } from './scratch.ts';
import { apiKey, errorReply, record, startService } from './services.ts';

let baseUrl: string;
let home: string;
beforeAll(async () => {
  ({ baseUrl } = await startService());
});
beforeEach(() => {
  home = mkdtempSync(join(scratch, 'home-'));
});

const env = (more: Record<string, string | undefined> = {}) => ({
  XDG_CONFIG_HOME: home,
  PETCTL_RETRIES: '0',
  ...more,
});
const file = () => join(home, 'petctl', 'credentials.json');
const stored = () => JSON.parse(readFileSync(file(), 'utf8'));
const login = (url = baseUrl, key = apiKey) =>
  petctl(['auth', 'login', '--base-url', url], env(), `${key}\n`);

describe('petctl auth', () => {
  test('stores an accepted key, readable by its owner only, and remembers the address', async () => {
    expect(await login()).toEqual({
      code: 0,
      stdout: '',
      stderr: `petctl: Stored the key in ${file()}. petctl now uses ${baseUrl}.\n`,
    });
    expect([statSync(file()).mode & 0o777, statSync(join(home, 'petctl')).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
    expect(await petctl(['pets', 'list'], env())).toMatchObject({ code: 0, stderr: '' });
    expect((await petctl(['auth', 'token'], env())).stdout).toBe(`${apiKey}\n`);
    expect((await petctl(['auth', 'logout'], env())).stderr).toBe(
      `petctl: Removed the key for ${baseUrl}.\n`,
    );
    expect(stored()).toEqual({ keys: {} });
    const logout = await petctl(['auth', 'logout', '--base-url', baseUrl], env());
    expect(logout).toMatchObject({
      code: 4,
      stderr: `petctl: There is no stored key for ${baseUrl}.\n`,
    });
  });

  test('a second login switches the address, and status shows both', async () => {
    const other = await record(() => ({ body: [] }));
    await login();
    await login(other.baseUrl, 'the-other-key');
    await petctl(['pets', 'list'], env());
    expect(other.requests.at(-1)?.headers.authorization).toBe('Bearer the-other-key');
    const { stdout } = await petctl(['auth', 'status', '-o', 'json'], env());
    expect(JSON.parse(stdout)).toEqual([
      { address: other.baseUrl, inUse: true, key: 'the…key', from: file(), accepted: true },
      { address: baseUrl, inUse: false, key: 'a-k…nly', from: file(), accepted: null },
    ]);
  });

  test('a login does not store a key that the service rejects or that could not be tried, and says so', async () => {
    const wrong = await login(baseUrl, 'a-wrong-key');
    expect({ code: wrong.code, isStored: existsSync(file()) }).toEqual({
      code: 4,
      isStored: false,
    });
    const [first, second] = wrong.stderr.split('\n');
    expect(first).toBe('petctl: The key was not stored.');
    expect(second).toMatch(/ Log in with another key\.$/);
    const nowhere = await login('http://127.0.0.1:1/v1');
    expect({ code: nowhere.code, isStored: existsSync(file()) }).toEqual({
      code: 3,
      isStored: false,
    });
  });

  test.each(['', 'two words', 'ü'])(
    'rejects the invalid key %j without quoting it',
    async (key) => {
      expect(await login(baseUrl, key)).toMatchObject({
        code: 2,
        stderr: 'petctl: The input has no valid API key: a key is visible ASCII without spaces.\n',
      });
    },
  );

  test('status shows unknown, not rejected, if the service does not respond', async () => {
    const nowhere = env({ PETCTL_BASE_URL: 'http://127.0.0.1:1/v1', PETCTL_API_KEY: apiKey });
    const { code, stdout } = await petctl(['auth', 'status', '--fields', 'accepted'], nowhere);
    expect({ code, stdout }).toEqual({ code: 3, stdout: 'unknown\n' });
  });
});

describe('petctl sends', () => {
  test('a stored key to no other address, whether a flag, the environment or a redirect names it', async () => {
    const other = await record(() => ({}));
    await login();
    for (const [args, more] of [
      [['--base-url', other.baseUrl], {}],
      [[], { PETCTL_BASE_URL: other.baseUrl }],
      [['--deployment', 'staging'], {}],
    ] as const) {
      const { code, stderr } = await petctl(['pets', 'list', ...args], env(more));
      expect({ code, stderr }).toEqual({
        code: 4,
        stderr: expect.stringContaining("Log in with 'petctl auth login --base-url http"),
      });
    }
    const redirecting = await record(() => ({
      status: 307,
      headers: { location: `${other.baseUrl}/pets` },
    }));
    expect((await petctl(['pets', 'list'], { ...redirecting.env })).code).toBe(6);
    expect(other.requests).toEqual([]);
  });

  test('a stored key to no other path of its origin, and a second login keeps the first key', async () => {
    const { requests, origin } = await record(() => ({ body: [] }));
    await login(`${origin}/a/v1`, 'key-of-a');
    const other = await petctl(['pets', 'list', '--base-url', `${origin}/b/v1`], env());
    expect({ code: other.code, sent: requests.map(({ url }) => url) }).toEqual({
      code: 4,
      sent: ['/a/v1/pets?limit=1'],
    });
    await login(`${origin}/b/v1`, 'key-of-b');
    expect(stored().keys).toEqual({
      [`${origin}/a/v1`]: 'key-of-a',
      [`${origin}/b/v1`]: 'key-of-b',
    });
    await petctl(['pets', 'list', '--base-url', `${origin}/a/v1/`], env());
    expect(requests.at(-1)?.headers.authorization).toBe('Bearer key-of-a');
    const variable = env({ PETCTL_API_KEY: 'k', PETCTL_BASE_URL: `${origin}/c/v1` });
    await petctl(['pets', 'list', '--base-url', `${origin}/b/v1`], variable);
    expect(requests.at(-1)?.headers.authorization).toBe('Bearer key-of-b');
  });

  test('the key of the environment only to the address of the environment, if the environment has an address', async () => {
    const own = await record(() => ({ body: [] }));
    const other = await record(() => ({ body: [] }));
    const list = ['pets', 'list', '--base-url', other.baseUrl];
    const { code, stderr } = await petctl(list, env(own.env));
    expect({ code, requests: other.requests, stderr }).toEqual({
      code: 4,
      requests: [],
      stderr: expect.stringContaining(`PETCTL_API_KEY is for ${own.baseUrl}.`),
    });
    expect((await petctl([...list, '--curl'], env(own.env))).stdout).not.toContain(
      '$PETCTL_API_KEY',
    );
    // Both are given together.
    expect((await petctl(list, env({ PETCTL_API_KEY: 'k' }))).code).toBe(0);
    await login(other.baseUrl, 'stored-for-the-other');
    expect((await petctl(list, env(own.env))).code).toBe(0);
    expect(other.requests.at(-1)?.headers.authorization).toBe('Bearer stored-for-the-other');
  });

  test('the key of the environment rather than a stored key, and each error says where the key is from', async () => {
    const { env: recorded, baseUrl } = await record(({ headers }) =>
      headers.authorization === 'Bearer good' ? { body: [] } : errorReply(401, 'unauthorized'),
    );
    await login(baseUrl, 'good');
    expect((await petctl(['pets', 'list'], env())).code).toBe(0);
    const bad = await petctl(['pets', 'list'], env({ PETCTL_API_KEY: 'bad' }));
    expect(bad).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Correct PETCTL_API_KEY.'),
    });
    const status = await petctl(['auth', 'status'], env(recorded));
    expect(status).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('PETCTL_API_KEY\tfalse'),
    });
    writeFileSync(file(), readFileSync(file(), 'utf8').replace('good', 'revoked'));
    expect((await petctl(['pets', 'list'], env())).stderr).toContain(`The key is from ${file()};`);
  });

  test('a stored key if the variable is empty', async () => {
    await login();
    const empty = {
      PETCTL_API_KEY: '',
      PETCTL_BASE_URL: '',
      PETCTL_OUTPUT: '',
      PETCTL_TIMEOUT: '',
    };
    expect((await petctl(['pets', 'list'], env(empty))).code).toBe(0);
  });
});

describe('the file with the keys', () => {
  test('stays a link if it is one', async () => {
    mkdirSync(join(home, 'petctl'));
    writeFileSync(join(home, 'dotfile.json'), '{"keys":{}}');
    symlinkSync(join(home, 'dotfile.json'), file());
    await login();
    expect(readFileSync(join(home, 'dotfile.json'), 'utf8')).toContain(apiKey);
    expect(lstatSync(file()).isSymbolicLink()).toBe(true);
  });

  test.each(['{', '[]', '{"keys":{"http://a":5}}'])(
    '%j in it is an error that says what to do',
    async (text) => {
      mkdirSync(join(home, 'petctl'));
      writeFileSync(file(), text);
      expect(await login()).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Fix the file, or move it away'),
      });
      expect(readFileSync(file(), 'utf8')).toBe(text);
    },
  );

  test('is not looked for in the current folder, and a home folder /dev/null has no keys', async () => {
    mkdirSync(join(scratch, '.config', 'petctl'), { recursive: true });
    const keys = { [deployments.production]: 'k' };
    writeFileSync(join(scratch, '.config', 'petctl', 'credentials.json'), JSON.stringify({ keys }));
    for (const more of [
      { HOME: '/dev/null' },
      { HOME: '.' },
      { HOME: '' },
      { HOME: home, XDG_CONFIG_HOME: '.config' },
    ])
      expect((await petctl(['auth', 'token'], more)).code).toBe(4);
  });

  test('is named in the error if its folder cannot be made', async () => {
    const { env } = await record(() => ({ body: [] }));
    const args = ['auth', 'login', '--base-url', env.PETCTL_BASE_URL];
    expect(await petctl(args, { HOME: '/dev/null' }, 'k')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('credentials.json cannot be written (ENOTDIR)'),
    });
  });
});
