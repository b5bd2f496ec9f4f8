import { execFileSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newFolder, skips, unprivilegedUser } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { createKey } from '../../src/keys/key-file.ts';
import { StoreDamagedError, StoreFolderError } from '../../src/store/errors.ts';
import { backup } from '../../src/store/lowdb/backup.ts';
import { checkStore, openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { replaceFiles } from './small-store.ts';
import { addMany, filesIn } from './store-contents.ts';
import { smallSegments, things } from './store-fixture.ts';

const fewFiles = fileURLToPath(new URL('few-files.ts', import.meta.url));

test('a process without file descriptors at the end of a segment rejects writes, and recovers; reads need few', async () => {
  const command = 'ulimit -n 64; exec "$0" "$@"';
  const stdout = execFileSync('bash', ['-c', command, process.execPath, fewFiles, newFolder()], { encoding: 'utf8' });
  const unavailable = 'StoreUnavailableError';
  expect(JSON.parse(stdout)).toEqual({
    without: [unavailable, unavailable, false],
    isNext: true,
    hasFailed: false,
    found: true,
  });
});

test('the high-water mark follows the last write in bounded time, and a truncation before it is detected', async () => {
  const folder = newFolder();
  const store = await openLowdbStore(folder, [things]);
  const collection = store.collection('things');
  for (let i = 0; i < 10; i++) await collection.create({ size: i });
  const mark = () => JSON.parse(readFileSync(join(folder, 'store.json'), 'utf8')).sequence;
  await expect.poll(mark, { timeout: 10_000 }).toBe(10);
  const files = filesIn(folder);
  await store.close();
  const path = 'segments/0000000001.jsonl';
  const bytes = files.get(path) ?? Buffer.alloc(0);
  replaceFiles(folder, files.set(path, bytes.subarray(0, bytes.indexOf('\n') + 1)));
  const opening = openLowdbStore(folder, [things]);
  await expect(opening).rejects.toThrow(StoreDamagedError);
  await expect(opening).rejects.toThrow('its last change is 1 instead of 10');
});

test('a high-water mark that cannot be written is reported', async () => {
  const folder = newFolder();
  const warnings: string[] = [];
  const store = await openLowdbStore(folder, [things], { onWarning: (line) => warnings.push(line) });
  mkdirSync(join(folder, 'store.json.tmp'));
  await store.collection('things').create({});
  await expect
    .poll(() => warnings, { timeout: 10_000 })
    .toEqual([expect.stringMatching(/store\.json: the high-water mark cannot be written/)]);
  rmSync(join(folder, 'store.json.tmp'), { recursive: true });
  await store.close();
});

test.skipIf(process.platform !== 'linux')('a store whose log cannot be closed unlocks its folder', async () => {
  const folder = newFolder();
  const store = await openLowdbStore(folder, [things]);
  await store.collection('things').create({});
  const isLog = (fd: string) => readlinkSync(`/proc/self/fd/${fd}`, 'utf8').endsWith('0000000001.jsonl');
  const open = readdirSync('/proc/self/fd').filter((fd) => existsSync(`/proc/self/fd/${fd}`) && isLog(fd));
  expect(open).toHaveLength(1);
  closeSync(Number(open[0]));
  await store.close();
  const again = await openLowdbStore(folder, [things]);
  expect(await again.collection('things').get(1)).toMatchObject({ id: 1 });
  await again.close();
});

describe('symbolic links in the data folder', () => {
  test.each(['lock', 'store.json', 'segments', 'store.json.tmp'])('%s is not followed', async (name) => {
    const folder = newFolder();
    const outside = join(newFolder(), 'outside');
    if (name === 'segments') mkdirSync(outside);
    else writeFileSync(outside, 'mine');
    symlinkSync(outside, join(folder, name));
    const opened = openLowdbStore(folder, [things]);
    if (name === 'store.json.tmp') await (await opened).close();
    else await expect(opened).rejects.toThrow(StoreFolderError);
    if (['lock', 'store.json'].includes(name))
      for (const rejected of [opened, checkStore(folder, [things])])
        await expect(rejected).rejects.toThrow('Replace the symbolic link with its file');
    if (name === 'segments') expect(readdirSync(outside)).toEqual([]);
    else expect(readFileSync(outside, 'utf8')).toBe('mine');
  });

  test.each(['keys.lock', 'keys.json'])('%s is not followed', async (name) => {
    const folder = newFolder();
    const outside = join(newFolder(), 'outside');
    symlinkSync(outside, join(folder, name));
    const advice = 'Replace the symbolic link with its file; only the data folder itself may be a link.';
    await expect(createKey(folder)).rejects.toThrow(
      new RegExp(`${name} cannot be (locked|read) \\(ELOOP\\)\\. ${advice}$`),
    );
    expect(existsSync(outside)).toBe(false);
  });
});

const user = unprivilegedUser();
const isSkipped = skips('What root leaves in the folder of another user', user ? undefined : 'only root can make it');

test.skipIf(isSkipped)("files that root makes belong to the folder's owner", async () => {
  const parent = newFolder();
  chownSync(parent, user?.uid ?? 0, user?.gid ?? 0);
  const folder = join(parent, 'data');
  const store = await openLowdbStore(folder, [things], { maxSegment: smallSegments });
  await addMany(store.collection('things'), 200);
  await addMany(store.collection('things'), 200);
  await store.close();
  await createKey(folder);
  await backup(folder, join(parent, 'copy'));
  const names = readdirSync(parent, { recursive: true, encoding: 'utf8' });
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) expect([name, lstatSync(join(parent, name)).uid]).toEqual([name, user?.uid]);
});
