import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { service } from '@petstore/types';
import { beforeEach, expect, test } from 'vitest';
import { petctl, scratch, unreachable } from './petctl.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(scratch, 'home-'));
  mkdirSync(join(home, 'petctl'));
});
const file = () => join(home, 'petctl', 'credentials.json');
const run = (args: string[], env: Record<string, string> = {}) =>
  petctl(args, { env: { ...unreachable, PETCTL_API_KEY: undefined, XDG_CONFIG_HOME: home, ...env }, input: 'a-key' });
const login = (env: Record<string, string> = {}) => run(['auth', 'login', '--with-key', '--no-check', '-q'], env);
const stored = (...origins: string[]) =>
  Object.fromEntries(origins.map((origin) => [origin, { [service.keyScheme]: { key: 'a-key' } }]));

test.skipIf(process.platform === 'win32').each(['{}', undefined])(
  'a login keeps a link to the file, also to one that does not exist yet: %j',
  async (text) => {
    const linked = join(home, 'dotfiles.json');
    if (text !== undefined) writeFileSync(linked, text);
    symlinkSync(linked, file());
    expect(await login()).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(readFileSync(linked, 'utf8'))).toEqual(stored('http://127.0.0.1:1'));
    expect(lstatSync(file()).isSymbolicLink()).toBe(true);
  },
);

test('the error for a folder that cannot be created does not blame another petctl', async () => {
  const folder = join(home, 'a-file');
  writeFileSync(folder, '');
  expect(await login({ XDG_CONFIG_HOME: folder })).toMatchObject({
    code: 2,
    stderr: `petctl: ${join(folder, 'petctl', 'credentials.json')} cannot be written (ENOTDIR). Check its folder and permissions.\n`,
  });
  renameSync(join(home, 'petctl'), join(home, 'petctl-before'));
  writeFileSync(join(home, 'petctl'), '');
  expect(await login()).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be written (EEXIST)') });
});

test('a property that appears twice is an error, because a change would drop one', async () => {
  const text = '{"http://a":{},"http://a":{}}';
  writeFileSync(file(), text);
  expect(await login()).toMatchObject({
    code: 2,
    stderr: `petctl: ${file()}: the property 'http://a' appears twice. Remove one of them.\n`,
  });
  expect(readFileSync(file(), 'utf8')).toBe(text);
});

test('changes by several processes at once are all stored', async () => {
  const origins = Array.from({ length: 8 }, (_, i) => `http://127.0.0.1:${i + 1}`);
  const runs = await Promise.all(origins.map((origin) => login({ PETCTL_BASE_URL: `${origin}/v1` })));
  expect(runs).toEqual(origins.map(() => ({ code: 0, stdout: '', stderr: '' })));
  expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual(stored(...origins));
});

test('the file that a killed petctl has left is an error that says what to remove', async () => {
  writeFileSync(`${file()}.new`, '');
  expect(await login()).toMatchObject({
    code: 2,
    stderr: `petctl: Another petctl is changing ${file()}. If none is running, remove ${file()}.new.\n`,
  });
});

test('a folder instead of the file is an error', async () => {
  mkdirSync(file());
  expect(await run(['auth', 'token'])).toEqual({
    code: 2,
    stdout: '',
    stderr: `petctl: ${file()} is a folder. Move it away.\n`,
  });
});

test('an account whose home folder is /dev/null has no stored key', async () => {
  expect(await run(['auth', 'token'], { XDG_CONFIG_HOME: '', HOME: '/dev/null' })).toMatchObject({ code: 4 });
});

test('an account that the system does not know has no stored key', async () => {
  const preload = `import os from 'node:os'; os.homedir = os.userInfo = () => { throw new Error('no such account'); }`;
  const env = { XDG_CONFIG_HOME: undefined, HOME: undefined };
  expect(await petctl(['auth', 'token'], { env, preload })).toMatchObject({ code: 4 });
});

test.each(['', '.'])('the current folder is not the home folder, also with HOME=%s', async (HOME) => {
  mkdirSync(join(home, '.config', 'petctl'), { recursive: true });
  const { origin } = new URL(service.deployments.production);
  writeFileSync(join(home, '.config', 'petctl', 'credentials.json'), JSON.stringify(stored(origin)));
  const { code } = await petctl(['auth', 'token'], { env: { XDG_CONFIG_HOME: undefined, HOME }, cwd: home });
  expect(code).toBe(4);
  expect(existsSync(join(home, '.cache'))).toBe(false);
});
