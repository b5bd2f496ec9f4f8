import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingProgram, skips } from '@petstore/testing';
import { service } from '@petstore/types';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { binary, petctl, petctlNode, scratch, unreachable } from './petctl.ts';
import { errorReply, record } from './recorder.ts';
import { apiKey, startService } from './service.ts';
import { hasNoTerminal, onTerminal } from './terminal.ts';

let baseUrl: string;
let origin: string;
let home: string;
beforeAll(async () => {
  ({ baseUrl, origin } = await startService());
});
beforeEach(() => {
  home = mkdtempSync(join(scratch, 'home-'));
});

const env = (more: Record<string, string | undefined> = {}) => ({
  XDG_CONFIG_HOME: home,
  PETCTL_BASE_URL: baseUrl,
  ...more,
});
const file = () => join(home, 'petctl', 'credentials.json');
const storedKey = () => ({ [origin]: { [service.keyScheme]: { key: apiKey } } });
const login = (more = {}) => petctl(['auth', 'login', '--with-key'], { env: env(more), input: `${apiKey}\n` });

/** Returns a function that runs petctl with this class in place of the entries of the system's keyring. */
function withKeyring(entryClass: string) {
  const preload = `import fs from 'node:fs'; import Module from 'node:module';
const load = Module._load, Entry = ${entryClass};
Module._load = (name, ...rest) => (name === '@napi-rs/keyring' ? { Entry } : load(name, ...rest));`;
  return (args: string[], input?: string) =>
    petctl(args, { env: env({ PETCTL_KEYRING: 'true' }), preload, ...(input && { input }) });
}

/** Replaces the system's keyring by a file, for the runs of petctl with `run`. */
function useFakeKeyring() {
  const store = join(home, 'keyring.json');
  const run = withKeyring(`class {
  file = ${JSON.stringify(store)};
  constructor(service, name) { this.name = service + ' ' + name; }
  all() { return fs.existsSync(this.file) ? JSON.parse(fs.readFileSync(this.file)) : {}; }
  save(all) { fs.writeFileSync(this.file, JSON.stringify(all)); }
  getPassword() { return this.all()[this.name] ?? null; }
  setPassword(key) { this.save({ ...this.all(), [this.name]: key }); }
  deletePassword() { const { [this.name]: _, ...others } = this.all(); this.save(others); return true; }
}`);
  return { store, run };
}

describe('petctl auth', () => {
  test('stores an accepted key, readable by its owner only', async () => {
    expect(await login()).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining(file()) });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'petctl')).mode & 0o777).toBe(0o700);
    expect(await petctl(['pets', 'list'], { env: env() })).toMatchObject({ code: 0, stderr: '' });
    expect((await petctl(['auth', 'token'], { env: env() })).stdout).toBe(`${apiKey}\n`);
    const status = await petctl(['auth', 'status', '-o', 'json'], { env: env() });
    expect(JSON.parse(status.stdout)).toEqual({
      service: baseUrl,
      key: 'a-k…nly',
      from: file(),
      accepted: true,
    });
    expect(await petctl(['auth', 'logout'], { env: env() })).toMatchObject({ code: 0 });
    expect(await petctl(['pets', 'list'], { env: env() })).toMatchObject({ code: 4 });
    expect(await petctl(['auth', 'logout'], { env: env() })).toMatchObject({
      code: 4,
      stderr: `petctl: There is no stored API key for ${origin}. Check --base-url.\n`,
    });
  });

  test('logout says that the key of the environment remains in use', async () => {
    const logout = () => petctl(['auth', 'logout'], { env: env({ PETCTL_API_KEY: apiKey }) });
    await login();
    expect(await logout()).toMatchObject({
      code: 0,
      stderr: `petctl: Removed the API key for ${origin}.\npetctl: PETCTL_API_KEY is set and remains in use.\n`,
    });
    expect(await logout()).toMatchObject({
      code: 4,
      stderr: `petctl: There is no stored API key for ${origin}. To stop using PETCTL_API_KEY, unset it.\n`,
    });
  });

  test('does not store a rejected key, and says so', async () => {
    const wrong = (...args: string[]) =>
      petctl(['auth', 'login', '--with-key', ...args], { env: env(), input: 'a-wrong-key-for-this-service' });
    const { code, stderr } = await wrong();
    expect([code, existsSync(file())]).toEqual([4, false]);
    expect(stderr).toMatch(
      /^petctl: The API key was not stored\.\npetctl: .* Check it and --base-url, or use --no-check to store it untried\.\n$/,
    );
    const [notice, error] = (await wrong('-o', 'json')).stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([notice, error]).toMatchObject([{ notice: {} }, { error: { status: 401, requestId: expect.any(String) } }]);
  });

  test('does not store a key that could not be tried, and says so', async () => {
    const nowhere = env({ PETCTL_BASE_URL: 'http://127.0.0.1:1/v1' });
    const { code, stderr } = await petctl(['auth', 'login', '--with-key', '--retries', '0'], {
      env: nowhere,
      input: 'x',
    });
    expect([code, existsSync(file())]).toEqual([3, false]);
    expect(stderr).toMatch(/^petctl: The API key was not stored\.\npetctl: .*ECONNREFUSED/);
  });

  test('stores it without a check with --no-check', async () => {
    const unchecked = env({ PETCTL_BASE_URL: 'http://127.0.0.1:1/v1' });
    expect(await petctl(['auth', 'login', '--with-key', '--no-check'], { env: unchecked, input: 'x' })).toMatchObject({
      code: 0,
    });
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({
      'http://127.0.0.1:1': { [service.keyScheme]: { key: 'x' } },
    });
  });

  test('never sends a stored key to another origin', async () => {
    await login();
    const other = await record(() => ({}));
    const { code } = await petctl(['pets', 'list', '--base-url', other.baseUrl], { env: env() });
    expect([code, other.requests]).toEqual([4, []]);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual(storedKey());
  });

  test('warns if the key of the environment is sent to a base URL from the command line', async () => {
    const { requests, port, env: recorded } = await record(() => ({ body: [] }));
    const key = { PETCTL_API_KEY: recorded.PETCTL_API_KEY };
    // A local address that petctl does not know as one.
    const { stderr } = await petctl(['pets', 'list', '--retries', '0', '--base-url', `http://0.0.0.0:${port}/v1`], {
      env: key,
    });
    expect([requests.length, stderr]).toEqual([
      1,
      expect.stringContaining('Sending PETCTL_API_KEY to http://0.0.0.0:'),
    ]);
    expect(
      (await petctl(['pets', 'list'], { env: { ...key, PETCTL_BASE_URL: `http://0.0.0.0:${port}/v1` } })).stderr,
    ).toBe('');
    expect((await petctl(['pets', 'list', '--base-url', `http://127.0.0.1:${port}/v1`], { env: key })).stderr).toBe('');
  });

  test('PETCTL_API_KEY overrides a stored key, and status says so', async () => {
    await login();
    const { requests, env: recorded } = await record(() => errorReply(401, 'unauthorized'));
    const { code, stdout, stderr } = await petctl(['auth', 'status'], { env: { ...env(), ...recorded } });
    expect([code, requests.length]).toEqual([4, 1]);
    expect(stdout).toContain('PETCTL_API_KEY\tfalse');
    expect(stderr).toContain('Set another key in PETCTL_API_KEY.');
  });

  test('status does not say that a service rejects the key if it does not respond', async () => {
    const { code, stdout } = await petctl(['auth', 'status', '--fields', 'accepted'], { env: unreachable });
    expect([code, stdout]).toEqual([3, 'unknown\n']);
  });

  test.each(['', 'two words', 'ü'])('rejects the invalid key %j', async (input) => {
    expect(await petctl(['auth', 'login', '--with-key'], { env: env(), input })).toMatchObject({ code: 2 });
  });

  test('does not prompt without a terminal', async () => {
    const { code, stderr } = await petctl(['auth', 'login'], { env: env() });
    expect(code).toBe(2);
    expect(stderr).toContain('--with-key');
  });

  test('reports a damaged file', async () => {
    await login();
    writeFileSync(file(), '{');
    expect(await petctl(['pets', 'list'], { env: env() })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(file()),
    });
  });

  test.skipIf(process.platform !== 'linux')('stores it in the file if there is no Secret Service', async () => {
    const withoutKeyring = env({ PETCTL_KEYRING: 'true' });
    expect(await petctl(['auth', 'login', '--with-key'], { env: withoutKeyring, input: apiKey })).toMatchObject({
      code: 0,
    });
    expect(readFileSync(file(), 'utf8')).toContain(apiKey);
  });

  test("stores it in the system's keyring if there is one", async () => {
    const { store, run } = useFakeKeyring();
    expect(await run(['auth', 'login', '--with-key'], apiKey)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('keyring'),
    });
    expect(readFileSync(file(), 'utf8')).not.toContain(apiKey);
    expect(readFileSync(store, 'utf8')).toContain(apiKey);
    expect(await run(['pets', 'list'])).toMatchObject({ code: 0 });
    // In a keyring that cannot be opened, the key remains, and the error says so.
    const closed = await petctl(['auth', 'logout'], {
      env: env({ PETCTL_KEYRING: 'true', DBUS_SESSION_BUS_ADDRESS: '' }),
    });
    expect(closed).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be opened') });
    expect(readFileSync(store, 'utf8')).toContain(apiKey);
    expect(await run(['auth', 'logout'])).toMatchObject({ code: 0 });
    expect(readFileSync(store, 'utf8')).toBe('{}');
  });

  test('a login replaces the stored key, also one that is stored elsewhere', async () => {
    const { store, run } = useFakeKeyring();
    const stored = () => [file(), store].map((one) => /old|new/.exec(readFileSync(one, 'utf8'))?.[0]);
    const logIn = (key: string, ...more: string[]) => run(['auth', 'login', '--with-key', '--no-check', ...more], key);
    await logIn('old');
    expect(stored()).toEqual([undefined, 'old']);
    await logIn('new', '--no-keyring');
    expect(stored()).toEqual(['new', undefined]);
    await logIn('old');
    expect(stored()).toEqual([undefined, 'old']);
    // Where the keyring cannot be opened, the older key remains, and a notice says so.
    const withoutKeyring = env({ PETCTL_KEYRING: 'true', DBUS_SESSION_BUS_ADDRESS: '' });
    const { code, stderr } = await petctl(['auth', 'login', '--with-key', '--no-check'], {
      env: withoutKeyring,
      input: 'new',
    });
    expect([code, stored()]).toEqual([0, ['new', 'old']]);
    expect(stderr).toContain("The older API key remains in the system's keyring");
    expect((await run(['auth', 'token'])).stdout).toBe('new\n');
  });

  test('reports a keyring that rejects the key, and stores nothing', async () => {
    const run = withKeyring(`class {
  getPassword() { return null; }
  setPassword() { throw new Error('Locked by the user'); }
}`);
    const { code, stderr } = await run(['auth', 'login', '--with-key'], apiKey);
    expect([code, existsSync(file())]).toEqual([2, false]);
    expect(stderr).toContain(
      "The system's keyring cannot be changed (Locked by the user). Unlock it, or use --no-keyring.",
    );
  });

  test.skipIf(hasNoTerminal)('prompts on the terminal without echo', async () => {
    const steps = [{ expect: 'hidden', send: `wrong\u0015${apiKey}x\u007f\r` }];
    const { code, terminal, steps: done } = await onTerminal(['auth', 'login'], { env: env(), steps });
    expect([code, done]).toEqual([0, 1]);
    expect(terminal).not.toContain(apiKey.slice(0, 5));
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual(storedKey());
  });

  test.skipIf(hasNoTerminal)('Ctrl-C at the prompt ends with 130', async () => {
    const { code } = await onTerminal(['auth', 'login'], {
      env: env(),
      steps: [{ expect: 'hidden', send: 'abc\u0003' }],
    });
    expect([code, existsSync(file())]).toEqual([130, false]);
  });

  test.skipIf(hasNoTerminal || skips('petctl in a shell', missingProgram('bash'), 'bash'))(
    'after Ctrl-Z and fg, the prompt asks again',
    async () => {
      const { code, terminal } = await onTerminal([], {
        env: env({ PS1: 'ready> ' }),
        program: ['bash', '--norc', '-i'],
        steps: [
          { expect: 'ready> ', send: `'${petctlNode}' '${binary}' auth login\r` },
          { expect: 'hidden', send: 'ab\u001a' },
          { expect: 'Stopped', send: 'fg; exit\r' },
          { expect: 'hidden[\\s\\S]*hidden', send: `${apiKey}\r` },
        ],
      });
      expect([code, existsSync(file())]).toEqual([0, true]);
      expect(terminal).not.toContain(apiKey.slice(0, 5));
    },
  );
});
