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
import { beforeEach, describe, expect, test } from 'vitest';
import { petctl, scratch } from './petctl.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(scratch, 'home-'));
  mkdirSync(join(home, 'petctl'));
});
const file = () => join(home, 'petctl', 'config.json');
const write = (config: unknown) => writeFileSync(file(), typeof config === 'string' ? config : JSON.stringify(config));
const run = (args: string[], env: Record<string, string> = {}) =>
  petctl(args, { env: { XDG_CONFIG_HOME: home, ...env } });

/** The base URL of a request, or the error. */
const target = async (args: string[], env: Record<string, string> = {}) => {
  const { stdout, stderr } = await run(['pets', 'list', '--dry-run', ...args], env);
  return stderr || stdout.split('\n')[0]?.replace('GET ', '').replace('/pets', '');
};

test('a flag overrides the environment, which overrides the profile, which overrides the default', async () => {
  const { production, staging } = service.deployments;
  expect(await target([])).toBe(production);
  write({ profile: 'work', profiles: { work: { 'base-url': 'http://work/v1' }, other: { deployment: 'staging' } } });
  expect(await target([])).toBe('http://work/v1');
  expect(await target(['--profile', 'other'])).toBe(staging);
  expect(await target(['--profile', 'work'], { PETCTL_BASE_URL: 'http://env/v1' })).toBe('http://work/v1');
  expect(await target([], { PETCTL_PROFILE: 'other', PETCTL_BASE_URL: 'http://env/v1' })).toBe('http://env/v1');
  expect(await target([], { PETCTL_PROFILE: 'other' })).toBe(staging);
  expect(await target([], { PETCTL_DEPLOYMENT: 'staging' })).toBe(staging);
  expect(await target([], { PETCTL_BASE_URL: 'http://env/v1/' })).toBe('http://env/v1');
  expect(await target(['--deployment', 'production'], { PETCTL_BASE_URL: 'http://env/v1' })).toBe(production);
  expect(await target(['--base-url', 'http://flag/v1'], { PETCTL_DEPLOYMENT: 'staging' })).toBe('http://flag/v1');
  expect(await target([], { PETCTL_DEPLOYMENT: 'staging', PETCTL_BASE_URL: 'http://env/v1' })).toContain(
    'PETCTL_BASE_URL and PETCTL_DEPLOYMENT both',
  );
});

test('config list shows the source of each value', async () => {
  write({ profiles: { default: { output: 'json', timeout: 5 } } });
  const { stdout } = await run(['config', 'list', '--show-origin', '--retries', '1', '-o', 'tsv'], {
    PETCTL_DEPLOYMENT: 'staging',
  });
  const rows = Object.fromEntries(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => [line.split('\t')[0], line.split('\t').slice(1)]),
  );
  expect(rows).toMatchObject({
    'base-url': [service.deployments.staging, 'PETCTL_DEPLOYMENT'],
    output: ['tsv', '--output'],
    timeout: ['5s', `profile 'default' in ${file()}`],
    retries: ['1', '--retries'],
    color: ['on a terminal', 'default'],
  });
  expect((await run(['config', 'list', '-o', 'csv'])).stdout.split('\n')[0]).toBe('key,value');
});

test('config get prints one value, config use selects the profile', async () => {
  write({ profiles: { work: { 'base-url': 'http://work/v1', timeout: '5s' } } });
  expect(await run(['config', 'use', 'work'])).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await run(['config', 'get', 'base-url'])).stdout).toBe('http://work/v1\n');
  expect((await run(['config', 'get', 'timeout'])).stdout).toBe('5s\n');
  expect((await run(['config', 'get', 'profile'])).stdout).toBe('work\n');
  expect(await run(['config', 'get', 'timeuot'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("'timeout'"),
  });
  expect(await run(['config', 'use', 'wrok'])).toMatchObject({ code: 2, stderr: expect.stringContaining("'work'") });
});

test('version prints the same as --version', async () => {
  expect((await run(['version'])).stdout).toBe((await run(['--version'])).stdout);
});

test('errors are JSON also if the profile sets the output to JSON', async () => {
  write({ profiles: { default: { output: 'json' }, plain: { output: 'tsv' } } });
  expect(JSON.parse((await run(['pets', 'list', '--limit', '0'])).stderr)).toMatchObject({ error: { exit: 2 } });
  expect(JSON.parse((await run(['pets', 'list'])).stderr)).toMatchObject({ error: { exit: 4 } });
  for (const args of [
    ['--profile', 'plain'],
    ['-o', 'tsv'],
  ])
    expect((await run(['pets', 'list', ...args])).stderr).toMatch(/^petctl: /);
  expect((await run(['pets', 'list', '--profile', 'plain'], { PETCTL_OUTPUT: 'json' })).stderr).toMatch(/^petctl: /);
});

test('the configuration may begin with a byte order mark', async () => {
  write('\ufeff{"profiles":{"default":{"timeout":"7s"}}}');
  expect(await run(['config', 'get', 'timeout'])).toMatchObject({ code: 0, stdout: '7s\n' });
});

test.skipIf(process.platform === 'win32')('config set keeps a link to the file', async () => {
  const linked = join(home, 'dotfiles.json');
  writeFileSync(linked, '{}');
  symlinkSync(linked, file());
  expect(await run(['config', 'set', 'retries', '3'])).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(readFileSync(linked, 'utf8')).profiles.default).toEqual({ retries: '3' });
  expect(lstatSync(file()).isSymbolicLink()).toBe(true);
});

test.skipIf(process.platform === 'win32')('config set creates the file that a link leads to', async () => {
  symlinkSync('dotfiles-to-come.json', file());
  expect(await run(['config', 'set', 'retries', '3'])).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(readFileSync(file(), 'utf8')).profiles.default).toEqual({ retries: '3' });
  expect(lstatSync(file()).isSymbolicLink()).toBe(true);
});

test('the error for a folder that cannot be created does not blame another petctl', async () => {
  const folder = join(home, 'a-file');
  writeFileSync(folder, '');
  expect(await run(['config', 'set', 'retries', '3'], { XDG_CONFIG_HOME: folder })).toMatchObject({
    code: 2,
    stderr: `petctl: ${join(folder, 'petctl', 'config.json')} cannot be written (ENOTDIR). Check its folder and permissions.\n`,
  });
  renameSync(join(home, 'petctl'), join(home, 'petctl-before'));
  writeFileSync(join(home, 'petctl'), '');
  expect(await run(['config', 'set', 'retries', '3'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('cannot be written (EEXIST)'),
  });
});

test('a property that appears twice is an error, because a change would drop one', async () => {
  const text = '{"profiles":{"a":{}},"profiles":{"b":{}}}';
  write(text);
  expect(await run(['config', 'set', 'retries', '3'])).toMatchObject({
    code: 2,
    stderr: `petctl: ${file()}: the property 'profiles' appears twice. Remove one of them.\n`,
  });
  expect(readFileSync(file(), 'utf8')).toBe(text);
});

test('changes by several processes at once are all stored', async () => {
  const names = Array.from({ length: 8 }, (_, i) => `profile-${i}`);
  const runs = await Promise.all(names.map((name) => run(['config', 'set', 'retries', '3', '--profile', name])));
  expect(runs).toEqual(names.map(() => ({ code: 0, stdout: '', stderr: '' })));
  expect(Object.keys(JSON.parse(readFileSync(file(), 'utf8')).profiles).sort()).toEqual(names);
});

test('the file that a killed petctl has left is an error that says what to remove', async () => {
  write({});
  writeFileSync(`${file()}.new`, '');
  expect(await run(['config', 'set', 'retries', '3'])).toMatchObject({
    code: 2,
    stderr: `petctl: Another petctl is changing ${file()}. If none is running, remove ${file()}.new.\n`,
  });
});

test('config set and unset change a profile, or create it', async () => {
  expect(await run(['config', 'set', 'deployment', 'staging', '--profile', 'work'])).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect(await run(['config', 'set', 'timeout', '5s', '--profile', 'work'])).toMatchObject({ code: 0 });
  expect(await run(['config', 'set', 'profile', 'work'])).toMatchObject({ code: 0 });
  expect(await target([])).toBe(service.deployments.staging);
  expect(await run(['config', 'unset', 'timeout'])).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({
    profile: 'work',
    profiles: { work: { deployment: 'staging' } },
  });
  const unset = await run(['config', 'unset', 'timeout', '--profile', 'wrok']);
  expect(unset).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean 'work'?") });
});

test.each([
  ['base-url', 'http://work/v1', 'deployment', 'staging'],
  ['deployment', 'staging', 'base-url', 'http://work/v1'],
])(
  'config set rejects what would make the profile invalid: %s %s, then %s %s',
  async (key, value, other, otherValue) => {
    const set = (...setting: string[]) => run(['config', 'set', ...setting, '--profile', 'work']);
    expect(await set(key, value)).toMatchObject({ code: 0 });
    expect(await set(other, otherValue)).toMatchObject({
      code: 2,
      stderr: `petctl: The profile 'work' already sets ${key}. Remove it first: 'petctl config unset ${key} --profile work'.\n`,
    });
    expect(JSON.parse(readFileSync(file(), 'utf8')).profiles).toEqual({ work: { [key]: value } });
  },
);

test('a profile with base-url and deployment is an error that says how to remove one', async () => {
  write({ profiles: { work: { 'base-url': 'http://work/v1', deployment: 'staging' } } });
  expect(await target(['--profile', 'work'])).toBe(
    `petctl: The profile 'work' in ${file()} sets base-url and deployment. Remove one of them, for example: 'petctl config unset deployment --profile work'.\n`,
  );
  expect(await run(['config', 'unset', 'deployment', '--profile', 'work'])).toMatchObject({ code: 0 });
  expect(await target(['--profile', 'work'])).toBe('http://work/v1');
});

describe('an invalid setting is an error that names its source', () => {
  test.each([
    [{ proflies: {} }, "there is no key 'proflies'. Did you mean 'profiles'?"],
    [{ profiles: { default: { outptu: 'json' } } }, "there is no setting 'outptu'. Did you mean 'output'?"],
    [{ profiles: { default: { 'api-key': 'x' } } }, ", profile 'default': there is no setting 'api-key'"],
    [{ profiles: { default: { output: 'jsn' } } }, "'jsn' is not valid"],
    [{ profiles: { default: { timeout: -5 } } }, "timeout: '-5' is not valid: it must be a time"],
    [{ profiles: { default: { timeout: [] } } }, 'must be a single value'],
    [{ profiles: { default: 5 } }, 'must be an object'],
    [{ profile: 5 }, 'profile must be text'],
    [{ profile: 'none' }, "There is no profile 'none'"],
    ['{', 'is not a JSON object'],
  ])('%j', async (config, message) => {
    write(config);
    const { code, stdout, stderr } = await run(['pets', 'list', '--dry-run']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(file());
    expect(stderr).toContain(message);
  });

  test.each([
    [['config', 'set', 'outptu', 'json'], "Did you mean 'output'?"],
    [['config', 'set', 'output', 'jsn'], "Did you mean 'json'?"],
    [['config', 'set', 'profile', 'none'], "There is no profile 'none'"],
  ])('%j', async (args, message) => {
    expect(await run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  test.each([
    ['PETCTL_TIMEOUT', 'x'],
    ['PETCTL_OUTPUT', 'x'],
    ['PETCTL_RETRIES', '1.5'],
    ['PETCTL_BASE_URL', 'x'],
  ])('%s=%s', async (name, value) => {
    expect(await run(['pets', 'list', '--dry-run'], { [name]: value })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(name),
    });
  });

  test('help, completion and config set still work', async () => {
    write('{ "profiles": { "default": { "output": "nope" } } }');
    expect(await run(['pets', 'list', '--help'])).toMatchObject({ code: 0, stderr: '' });
    expect(await run(['__complete', 'pets', 'l'])).toMatchObject({ code: 0, stdout: expect.stringContaining('list') });
    expect(await run(['config', 'set', 'output', 'json'])).toMatchObject({ code: 0 });
  });

  test('a folder instead of the file', async () => {
    mkdirSync(file());
    const { code, stderr } = await run(['config', 'list']);
    expect([code, stderr]).toEqual([2, `petctl: ${file()} is a folder. Move it away.\n`]);
  });
});

test.each([
  ['http://here:1/v1', 'http://here:1/docs'],
  ['http://here:1/v1/', 'http://here:1/docs'],
  ['http://here:1/x/y/v1', 'http://here:1/x/y/docs'],
  ['http://here:1', 'http://here:1/docs'],
])('petctl docs of %s prints %s, below the path that a proxy adds', async (baseUrl, url) => {
  expect((await run(['docs', '--base-url', baseUrl])).stdout).toBe(`${url}\n`);
});

test('an account whose home folder is /dev/null has no profiles', async () => {
  expect(await run(['config', 'list'], { XDG_CONFIG_HOME: '', HOME: '/dev/null' })).toMatchObject({ code: 0 });
});

test('an account that the system does not know has no profiles', async () => {
  const preload = `import os from 'node:os'; os.homedir = os.userInfo = () => { throw new Error('no such account'); }`;
  const env = { XDG_CONFIG_HOME: undefined, HOME: undefined };
  expect(await petctl(['config', 'list'], { env, preload })).toMatchObject({ code: 0, stderr: '' });
});

test.each(['', '.'])('the current folder is not the home folder, also with HOME=%s', async (HOME) => {
  mkdirSync(join(home, '.config', 'petctl'), { recursive: true });
  writeFileSync(join(home, '.config', 'petctl', 'config.json'), '{"profiles":{"default":{"timeout":"77s"}}}');
  const { stdout } = await petctl(['config', 'get', 'timeout'], {
    env: { XDG_CONFIG_HOME: undefined, HOME },
    cwd: home,
  });
  expect(stdout).not.toContain('77s');
  expect(existsSync(join(home, '.cache'))).toBe(false);
});
