import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { setup } from '../src/leftovers.ts';

beforeEach(() => {
  // Put back after the test, because the set-up changes them.
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) vi.stubEnv(name, process.env[name]);
  return () => vi.unstubAllEnvs();
});

test("a run that leaves only Node's cache passes, and its folder is removed", async () => {
  const tearDown = setup();
  const folder = tmpdir();
  mkdirSync(join(folder, 'node-compile-cache'));
  await tearDown();
  expect(existsSync(folder)).toBe(false);
});

test('a run that leaves files behind fails, and they are removed', async () => {
  const tearDown = setup();
  const file = join(tmpdir(), 'a-file');
  writeFileSync(file, '');
  await expect(tearDown()).rejects.toThrow(/left behind:\n {2}a-file$/);
  expect(existsSync(file)).toBe(false);
});

test.skipIf(process.platform !== 'linux')('a run that leaves processes behind fails, and they are killed', async () => {
  const tearDown = setup();
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await expect(tearDown()).rejects.toThrow(`process ${child.pid}: ${process.execPath} --eval`);
  expect(await ended).toEqual([null, 'SIGKILL']);
});
