import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { newFolder } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { allCollections } from '../../src/collections.ts';
import { StoreFolderError, StoreLockedError } from '../../src/store/errors.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { openingStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { listen } from '../listen.ts';
import { remountReadOnly, smallDisk } from './mounts.ts';
import { startWriters } from './start-writers.ts';
import { addMany, everything, filesIn } from './store-contents.ts';
import { things } from './store-fixture.ts';
import { WrittenModel } from './written-model.ts';

const execFileAsync = promisify(execFile);

describe('a second server on the same folder', () => {
  test('is rejected while the first runs, even suspended, and accepted after it is killed', async () => {
    const folder = newFolder();
    const first = startWriters(folder, 'first', 1);
    await first.open;
    await expect(openLowdbStore(folder, [things])).rejects.toThrow(StoreLockedError);
    first.child.kill('SIGSTOP');
    await expect(openLowdbStore(folder, [things])).rejects.toThrow(
      `${join(folder, 'lock')}: another process has locked it. `,
    );
    first.child.kill('SIGKILL');
    const model = new WrittenModel();
    model.learn(await first.ended);
    const second = await openLowdbStore(folder, [things]);
    await model.check(second);
    await second.close();
  });

  test('exits with a clear error, and the first continues', async () => {
    const folder = newFolder();
    const first = await openLowdbStore(folder, [things]);
    const before = await addMany(first.collection('things'), 3);
    const second = startWriters(folder, 'second', 1);
    expect(await second.ended).toEqual([]);
    expect(second.errors()).toMatch(/^StoreLockedError: \/.*\/lock: another process has locked it\..*$/m);
    const after = await addMany(first.collection('things'), 3);
    const ids = (await everything(first.collection('things'))).map(({ key }) => key);
    expect(ids).toEqual([...before, ...after].map(({ id }) => id));
    await first.close();
  });

  test('is rejected within one process, too', async () => {
    const folder = newFolder();
    const first = await openLowdbStore(folder, [things]);
    await expect(openLowdbStore(folder, [things])).rejects.toThrow(StoreLockedError);
    // A process loses its lock on a file when it closes any of its handles of the file.
    const other = startWriters(folder, 'other', 1, 1);
    expect([await other.ended, other.errors()]).toEqual([[], expect.stringMatching(/^StoreLockedError/m)]);
    await first.close();
    const second = await openLowdbStore(folder, [things]);
    await second.close();
  });
});

test('while the store opens, the port is open, /readyz and requests get 503', async () => {
  const { promise, resolve } = Promise.withResolvers<Store>();
  const server = await listen({}, openingStore(promise));
  const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' };
  const statuses = async () => [
    (await fetch(`${server.origin}/healthz`)).status,
    (await fetch(`${server.origin}/readyz`)).status,
    (await fetch(`${server.baseUrl}/pets`, { headers })).status,
    (await fetch(`${server.baseUrl}/pets`, { method: 'POST', headers, body: '{"name":"x","categoryId":1}' })).status,
  ];
  expect(await statuses()).toEqual([200, 503, 503, 503]);
  const store = await openLowdbStore(newFolder(), allCollections);
  resolve(store);
  expect(await statuses()).toEqual([200, 200, 200, 201]);
  await server.close();
  await store.close();
});

test('a file in the place of a folder is rejected and not changed', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'data'), 'mine');
  mkdirSync(join(folder, 'other'));
  writeFileSync(join(folder, 'other/segments'), 'mine');
  const before = filesIn(folder);
  await expect(openLowdbStore(join(folder, 'data'), [things])).rejects.toThrow(StoreFolderError);
  await expect(openLowdbStore(join(folder, 'other'), [things])).rejects.toThrow(StoreFolderError);
  rmSync(join(folder, 'other/lock'));
  expect(filesIn(folder)).toEqual(before);
});

test('a folder on a read-only disk is rejected with its name, with and without a store', async (context) => {
  const disk = smallDisk(context, 1024);
  const folder = join(disk, 'data');
  const store = await openLowdbStore(folder, [things]);
  await addMany(store.collection('things'), 3);
  await store.close();
  const before = filesIn(folder);
  remountReadOnly(disk);
  for (const path of [folder, join(disk, 'new')]) {
    const opening = openLowdbStore(path, [things]);
    await expect(opening).rejects.toThrow(StoreFolderError);
    await expect(opening).rejects.toThrow(`${path}: cannot be used (EROFS`);
  }
  expect(filesIn(folder)).toEqual(before);
});

const openUnprivileged = fileURLToPath(new URL('open-unprivileged.ts', import.meta.url));

test.skipIf(process.platform === 'win32').each(['.', 'lock', 'segments', 'segments/0000000001.jsonl'])(
  '%s without write permission is rejected, and the message names it',
  async (path) => {
    const folder = newFolder();
    const store = await openLowdbStore(folder, [things]);
    await addMany(store.collection('things'), 3);
    await store.close();
    const before = filesIn(folder);
    const file = join(folder, path);
    chmodSync(file, 0o555);
    const { stdout, stderr } = await execFileAsync(process.execPath, [openUnprivileged, folder]);
    chmodSync(file, 0o755);
    expect([stdout, stderr]).toEqual([
      expect.stringContaining(`StoreFolderError: ${file}: cannot be used (EACCES`),
      '',
    ]);
    expect(filesIn(folder)).toEqual(before);
  },
);
