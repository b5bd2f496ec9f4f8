// What only a process shows: the bundle, signals, pipes that close, full disks, terminals, the keyring.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { rounds } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import {
  bash,
  binary,
  hasNoTerminal,
  onTerminal,
  petctlNode,
  resultOfBinary,
  startBinary,
} from './binary.ts';
import { scratch } from './scratch.ts';
import { lines, named, pageBefore, record } from './services.ts';

const manyPages = () =>
  record((_, count) => {
    const page = Array.from({ length: 100 }, (_, i) => ({ id: count * 100 + i, name: 'x' }));
    return pageBefore(`?after=${count}`, page);
  });

describe('pipes that close', () => {
  test('a list ends when the reader of stdout has its line', async () => {
    const { env } = await manyPages();
    expect(await bash('petctl pets list --all -o jsonl | head -1', env)).toEqual({
      code: 0,
      stdout: '{"id":100,"name":"x"}\n',
      stderr: '',
    });
  });

  test('an import goes on without a reader of stderr, or of both', async () => {
    const { env, requests } = await record(() => ({ status: 201, body: { id: 1 } }));
    const file = join(scratch, 'many.jsonl');
    writeFileSync(file, lines(50));
    const run = `petctl pets import ${file} -v -o jsonl`;
    const stderrOnly = await bash(`${run} 2> >(true)`, env);
    expect(stderrOnly).toMatchObject({ code: 0, stdout: '{"id":1}\n'.repeat(50) });
    expect(await bash(`${run} > >(true) 2>&1`, env)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(requests.length).toBe(100);
  });
});

test.skipIf(process.platform !== 'linux')('a full disk', async () => {
  const { env, requests } = await record(() => ({ status: 201, body: { id: 1 } }));
  const file = join(scratch, 'many.jsonl');
  writeFileSync(file, `{"x":1}\n${lines(300)}`);
  const full = [11, expect.stringContaining('The results could not be written (ENOSPC).')];
  for (const line of ['--help', `pets import ${file} -q`]) {
    const { code, stderr } = await bash(`petctl ${line} > /dev/full`, env);
    expect([code, stderr]).toEqual(full);
  }
  expect(requests.length).toBeLessThan(300);
  const failures = await bash(`petctl pets import ${file} -q --failed /dev/full`, env);
  expect(failures).toMatchObject({
    code: 11,
    stderr: expect.stringContaining('/dev/full cannot be written (ENOSPC)'),
  });
  // Nothing can be said any more, but the data is complete.
  const silent = await bash(`petctl pets get 1 2> /dev/full`, env);
  expect(silent).toMatchObject({ code: 8, stdout: '' });
});

test('--failed refuses the file on stdin, which would be lost', async () => {
  const { env } = await record(() => ({}));
  const file = join(scratch, 'same');
  writeFileSync(file, lines(1));
  expect(await bash(`petctl pets import - --failed ${file} < ${file}`, env)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is the file to import.'),
  });
  expect(readFileSync(file, 'utf8')).toBe(lines(1));
});

test('petctl works in the empty environment of cron, and the current folder configures nothing', async () => {
  const { env } = await record(() => ({ body: [{ id: 1, name: 'A' }] }));
  const folder = mkdtempSync(join(scratch, 'current-'));
  const list = `pets list --jq .[].name --base-url ${env.PETCTL_BASE_URL}`;
  const cron = `env -i PETCTL_API_KEY=k HOME=. XDG_CACHE_HOME=cache '${petctlNode}' '${binary}' ${list}`;
  expect(await bash(`cd ${folder} && ${cron} < /dev/null`)).toEqual({
    code: 0,
    stdout: 'A\n',
    stderr: '',
  });
  expect(readdirSync(folder)).toEqual([]);
});

test('a checkout runs the sources of petctl', () => {
  const file = join(import.meta.dirname, '../src/main.ts');
  const stdout = execFileSync(process.execPath, [file, '--version'], { encoding: 'utf8' });
  expect(stdout).toBe(`${manifest.version}\n`);
});

describe('signals', () => {
  test('Ctrl-C ends a call by the signal, which shells report as 130', async () => {
    const { env } = await record((): 'hang' => {
      child.kill('SIGINT');
      return 'hang';
    });
    const child = startBinary(['pets', 'list'], env);
    expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
  });

  test('a second Ctrl-C ends the calls of an import that are in progress', async () => {
    const { env } = await record((_, count): 'hang' => {
      if (count === 1) child.kill('SIGINT');
      return 'hang';
    });
    const file = join(scratch, 'few.jsonl');
    writeFileSync(file, lines(5));
    const child = startBinary(['pets', 'import', file], env);
    child.stderr.once('data', () => child.kill('SIGINT'));
    expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
  });

  test('a --jq filter without end is not run before the request', async () => {
    const received = Promise.withResolvers<void>();
    const { env } = await record(() => {
      received.resolve();
      return {};
    });
    const child = startBinary(['pets', 'list', '--jq', 'def f: f; f'], env);
    await received.promise;
    child.kill('SIGKILL');
    expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
  });
});

test('a rejection that nobody handles is not a success', async () => {
  const { env } = await record((): 'hang' => 'hang');
  const preload = "setTimeout(() => Promise.reject(new Error('forgotten')), 300)";
  const { code, stderr } = await resultOfBinary(startBinary(['pets', 'list'], env, preload));
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('forgotten') });
});

const pages = rounds(50, 1000);
test(`a list of ${pages} pages needs the memory of a few pages`, async () => {
  const { env } = await record((_, count) => {
    const page = Array.from({ length: 100 }, (_, i) => ({ id: i, name: 'x'.repeat(1000) }));
    return count < pages ? pageBefore(`?after=${count}`, page) : { body: page };
  });
  const preload =
    "process.on('exit', () => process._rawDebug('peak ' + process.resourceUsage().maxRSS))";
  const child = startBinary(['pets', 'list', '--all', '-o', 'jsonl'], env, preload);
  let printed = 0;
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    printed += part.split('\n').length - 1;
  });
  const stderr = await text(child.stderr);
  expect(printed).toBe(pages * 100);
  // In the deep run, all pages are more than this.
  expect(Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024).toBeLessThan(150);
});

describe("the system's keyring", () => {
  const home = mkdtempSync(join(scratch, 'home-'));
  const file = join(home, 'petctl', 'credentials.json');

  /** Runs petctl with this class in place of the entries of the system's keyring. */
  const withKeyring = async (entryClass: string, args: string[], input = '') => {
    const preload = `import fs from 'node:fs'; import Module from 'node:module';
const load = Module._load, Entry = ${entryClass};
Module._load = (name, ...rest) => (name === '@napi-rs/keyring' ? { Entry } : load(name, ...rest));`;
    const { env } = await service;
    const own = { ...env, PETCTL_API_KEY: undefined, PETCTL_KEYRING: undefined };
    const child = startBinary(
      args,
      { ...own, XDG_CONFIG_HOME: home, DBUS_SESSION_BUS_ADDRESS: '' },
      preload,
    );
    return resultOfBinary(child, input);
  };
  const service = record(() => ({ body: [] }));
  const apiKey = 'a-key-in-the-keyring';
  const inFile = `class {
  file = ${JSON.stringify(join(home, 'keyring'))};
  getPassword() { return fs.existsSync(this.file) ? fs.readFileSync(this.file, 'utf8') : null; }
  setPassword(key) { fs.writeFileSync(this.file, key); }
  deletePassword() { fs.rmSync(this.file); return true; }
}`;

  test('has the key if there is a keyring, and the file only says so', async () => {
    const { code, stderr } = await withKeyring(inFile, ['auth', 'login'], apiKey);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("in the system's keyring"),
    });
    expect(readFileSync(file, 'utf8')).not.toContain(apiKey);
    expect((await withKeyring(inFile, ['auth', 'token'])).stdout).toBe(`${apiKey}\n`);
    const locked = "class { getPassword() { throw new Error('locked'); } }";
    expect(await withKeyring(locked, ['auth', 'logout'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be opened. Unlock the keyring'),
    });
    const full =
      "class { getPassword() { return null; } setPassword() { throw new Error('full'); } }";
    expect(await withKeyring(full, ['auth', 'login'], apiKey)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did not take the key (full)'),
    });
    expect((await withKeyring(inFile, ['auth', 'logout'])).code).toBe(0);
    expect(existsSync(join(home, 'keyring'))).toBe(false);
  });
});

describe.skipIf(hasNoTerminal)('on a terminal', () => {
  const key = 'a-key-that-is-typed';
  const loginOn = async (...sent: string[]) => {
    const home = mkdtempSync(join(scratch, 'home-'));
    const { env } = await record(() => ({ body: [] }));
    const result = await onTerminal(['auth', 'login'], {
      env: { ...env, PETCTL_API_KEY: undefined, XDG_CONFIG_HOME: home },
      steps: sent.map((send) => ({ expect: 'hidden', send })),
    });
    const file = join(home, 'petctl', 'credentials.json');
    const stored = existsSync(file)
      ? Object.values(JSON.parse(readFileSync(file, 'utf8')).keys)
      : [];
    return { ...result, stored };
  };

  test('login asks for the key without echo; Ctrl-Z changes nothing', async () => {
    const { code, terminal, stored } = await loginOn(`wrong\u0015\u001a${key}x\u007f\r`);
    expect([code, stored, terminal.includes(key.slice(0, 5))]).toEqual([0, [key], false]);
  });

  test('Ctrl-C at the prompt ends with 130', async () => {
    const { code, stored } = await loginOn('abc\u0003');
    expect({ code, stored }).toEqual({ code: 130, stored: [] });
  });

  test('Ctrl-C is typed while the progress bar of an import is drawn', async () => {
    const file = join(scratch, 'typed.jsonl');
    const failedFile = join(scratch, 'typed-failed.jsonl');
    writeFileSync(file, lines(100));
    const added: string[] = [];
    const { env } = await record((request, count) => {
      if (count > 60) return 'hang';
      added.push(named(request));
      return { status: 201, body: { id: count } };
    });
    const args = ['pets', 'import', file, '--failed', failedFile, '--timeout', '1s'];
    const steps = [{ expect: '\\d+ created', send: '\u0003' }];
    expect((await onTerminal(args, { env, steps })).code).toBe(130);
    const left = readFileSync(failedFile, 'utf8').trim().split('\n');
    expect(added.length + left.length).toBe(100);
  });
});
