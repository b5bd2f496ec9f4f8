import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keyCheck, openKeys } from '../../src/keys/check-keys.ts';
import {
  createFirstKey,
  createKey,
  KeyNameError,
  KeysFileError,
  keysFile,
  readKeys,
  revokeKey,
} from '../../src/keys/key-file.ts';

const names = (folder: string) => readKeys(keysFile(folder))?.map(({ name }) => name);

describe('the file', () => {
  test('holds hashes, no keys, and is readable by its owner only', async () => {
    const folder = newFolder();
    const made = [
      (await createFirstKey(folder)) ?? '',
      (await createKey(folder)).key,
      (await createKey(folder, 'ci')).key,
    ];
    expect(names(folder)).toEqual(['first', 'key-2', 'ci']);
    expect(statSync(keysFile(folder)).mode & 0o777).toBe(0o600);
    const text = readFileSync(keysFile(folder), 'utf8');
    for (const key of made) expect(text).not.toContain(key);
    expect(made.map(keyCheck(readKeys(keysFile(folder)) ?? []))).toEqual(['first', 'key-2', 'ci']);
  });

  test('rejects a duplicate, an invalid and an unknown name without repeating it', async () => {
    const folder = newFolder();
    const { key } = await createKey(folder, 'ci');
    await expect(createKey(folder, 'ci')).rejects.toThrow(KeyNameError);
    await expect(createKey(folder, 'a,b')).rejects.toThrow(KeyNameError);
    await expect(revokeKey(folder, key)).rejects.toThrow('There is no key of that name; the names are: ci.');
    await expect(revokeKey(join(folder, 'elsewhere'), 'ci')).rejects.toThrow(KeyNameError);
    expect([names(folder), existsSync(join(folder, 'elsewhere'))]).toEqual([['ci'], false]);
  });

  test('gets no new first key after the last one was revoked', async () => {
    const folder = newFolder();
    await createFirstKey(folder);
    expect(await revokeKey(folder, 'first')).toBe(0);
    expect(await createFirstKey(folder)).toBeUndefined();
    expect(names(folder)).toEqual([]);
  });

  const one = `{"name":"SECRET","created":"2026-11-20T00:00:00.000Z","sha256":"${'0'.repeat(64)}"}`;
  test.each([
    '',
    'null',
    '[]',
    'SECRET',
    '{"keys":null}',
    '{"keys":["SECRET"]}',
    '{"keys":[{"name":"SECRET"}]}',
    `{"keys":[${one},${one}]}`,
    `{"keys":[${one}`,
    `{"keys":[${one.replace('00"', '"')}]}`,
  ])('is rejected with its path if it is damaged, and is not changed: %s', async (text) => {
    const folder = newFolder();
    const file = keysFile(folder);
    writeFileSync(file, text);
    for (const attempt of [
      createFirstKey,
      createKey,
      async (folder: string) => openKeys({ apiKeys: undefined, dataDir: folder }, () => {}),
    ]) {
      await expect(attempt(folder)).rejects.toThrow(KeysFileError);
      await expect(attempt(folder)).rejects.toThrow(`${file} is damaged`);
      await expect(attempt(folder)).rejects.not.toThrow('SECRET');
    }
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('cannot be in a file, and the message says so', async () => {
    const folder = join(newFolder(), 'file');
    writeFileSync(folder, '');
    for (const attempt of [createFirstKey, createKey, (to: string) => revokeKey(to, 'ci')])
      await expect(attempt(folder)).rejects.toThrow(`(ENOTDIR). ${folder} is not a folder.`);
  });

  test('counts as damaged if it is a pipe that nobody writes to', async () => {
    const folder = newFolder();
    execFileSync('mkfifo', [keysFile(folder)]);
    expect(() => readKeys(keysFile(folder))).toThrow('is damaged');
  });

  test('replaces a temporary file that a crash left', async () => {
    const folder = newFolder();
    await createKey(folder, 'before');
    writeFileSync(`${keysFile(folder)}.tmp`, '{"keys":[', { mode: 0o644 });
    await createKey(folder, 'after');
    expect(names(folder)).toEqual(['before', 'after']);
    expect(statSync(keysFile(folder)).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(['keys.json', 'keys.lock']);
  });
});

describe('many processes', () => {
  const keyFile = JSON.stringify(new URL('../../src/keys/key-file.ts', import.meta.url));
  const lock = JSON.stringify(new URL('../../src/files/lock.ts', import.meta.url));
  const run = (code: string) => spawn(process.execPath, ['--input-type=module', '--eval', code]);

  test('that create keys concurrently lose none, and create one first key', async () => {
    const folder = newFolder();
    const code = `import { createFirstKey, createKey } from ${keyFile};
      const folder = ${JSON.stringify(folder)};
      if (await createFirstKey(folder)) console.log('first');
      for (let i = 0; i < 10; i++) console.log((await createKey(folder)).name);`;
    const made = await Promise.all(
      Array.from({ length: 4 }, async () => (await run(code).stdout.toArray()).join('').trim().split('\n')),
    );
    expect(made.flat()).toHaveLength(41);
    expect(names(folder)?.sort()).toEqual(made.flat().sort());
  });

  test('do not wait for the lock of a killed one', async () => {
    const folder = newFolder();
    const holder = run(`import { lockFile } from ${lock};
      await lockFile(${JSON.stringify(join(folder, 'keys.lock'))});
      console.log('held');
      for (;;);`);
    onTestFinished(() => void holder.kill('SIGKILL'));
    await once(holder.stdout, 'data');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    expect((await createKey(folder, 'ci')).name).toBe('ci');
  });
});
