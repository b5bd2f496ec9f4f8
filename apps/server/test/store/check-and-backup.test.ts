import { execFile } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newFolder, skips } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { allCollections } from '../../src/collections.ts';
import { createKey } from '../../src/keys/key-file.ts';
import { StoreDamagedError, StoreLockedError } from '../../src/store/errors.ts';
import { backup } from '../../src/store/lowdb/backup.ts';
import { checkStore, openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { main, runCommand } from '../server-process.ts';
import { readOnlyMount, remountReadOnly, smallDisk } from './mounts.ts';
import { flipped, replaceFiles } from './small-store.ts';
import { startWriters } from './start-writers.ts';
import { contentOf, everything, filesIn } from './store-contents.ts';
import { once, openThings, things } from './store-fixture.ts';
import { untraceable } from './trace.ts';
import { WrittenModel } from './written-model.ts';

const { reason, install } = untraceable();
const isUntraceable = skips('A backup while a segment without needed records is removed', reason, install);

describe('petstore-server check', () => {
  test('prints the content of an undamaged folder, and changes nothing', async () => {
    const folder = await petFolder();
    const before = filesIn(folder);
    const { status, stdout } = runCommand(['check', '--data-dir', folder]);
    const bytes = statSync(join(folder, 'segments/0000000001.jsonl')).size;
    const current = 2 * '{"id":1,"name":"pet 0","categoryId":0}'.length;
    expect([status, stdout]).toEqual([
      0,
      'pets: 2 documents, highest identifier 3\n' +
        `1 segments of ${bytes} bytes in all, of which ${current} bytes are current documents and idempotency keys\n` +
        `${folder} is not damaged (format 4).\n`,
    ]);
    expect(filesIn(folder)).toEqual(before);
  });

  test('names a damaged file in one line, with exit code 1', async () => {
    const folder = await petFolder();
    const files = filesIn(folder);
    const [path = '', bytes = Buffer.alloc(0)] = [...files].find(([name]) => name.endsWith('.jsonl')) ?? [];
    replaceFiles(folder, new Map(files).set(path, flipped(bytes, 40)));
    const { status, stderr } = runCommand(['check', '--data-dir', folder]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^petstore-server: .*0000000001\.jsonl: .*\n$/)]);
  });

  test('rejects a folder that a server uses, also where it is mounted read-only', async (context) => {
    const folder = newFolder();
    const mount = readOnlyMount(context, folder);
    const store = await openLowdbStore(folder, [things]);
    await expect(checkStore(mount, [things])).rejects.toThrow(StoreLockedError);
    await store.close();
    expect(await checkStore(mount, [things])).toMatchObject({ segments: 1 });
  });

  test('reports a folder without a store', async () => {
    const { status, stderr } = runCommand(['check', '--data-dir', newFolder()]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^petstore-server: \S+ has no documents; .*\n$/)]);
  });
});

describe('petstore-server backup', () => {
  test('copies the folder with its keys while a server writes, seals and merges', async () => {
    const folder = newFolder();
    const copies = newFolder();
    const model = new WrittenModel();
    await createKey(folder, 'ci');
    const writers = startWriters(folder, 'word', 16, 4000);
    await writers.open;
    const backups: string[] = [];
    const isOver = { now: false };
    const ended = writers.ended.finally(() => {
      isOver.now = true;
    });
    while (!isOver.now) {
      const to = join(copies, String(backups.length));
      await backup(folder, to);
      backups.push(to);
    }
    model.learn(await ended);
    const last = runCommand(['backup', join(copies, 'last'), '--data-dir', folder]);
    expect([last.status, last.stdout]).toEqual([0, '']);
    const { collections } = await checkStore(join(copies, 'last'), [things]);
    expect(collections).toMatchObject([{ name: 'things' }]);
    const store = await openThings(join(copies, 'last'));
    await model.check(store);
    await store.close();
    expect(readFileSync(join(copies, 'last/keys.json'))).toEqual(readFileSync(join(folder, 'keys.json')));
    for (const to of backups) {
      const copy = await openThings(to);
      const documents = await everything(copy.collection('things'));
      expect(new Set(documents.map(({ key }) => key)).size).toBe(documents.length);
      await copy.close();
    }
    expect(backups.length).toBeGreaterThan(0);
  });

  test.skipIf(isUntraceable)(
    'is complete if a segment whose documents are all replaced is removed meanwhile',
    async () => {
      const [folder, to] = [newFolder(), join(newFolder(), 'copy')];
      const store = await openLowdbStore(folder, [things], { maxSegment: 10_000 });
      const collection = store.collection('things');
      await collection.create({});
      // Between the manifest and the list of the segments, the server has time to remove one.
      const slow = ['-f', '-o', '/dev/null', '-P', join(folder, 'segments'), '-e', 'inject=openat:delay_enter=500000'];
      const copied = promisify(execFile)('strace', [
        ...slow,
        process.execPath,
        main,
        'backup',
        to,
        '--data-dir',
        folder,
      ]);
      let size = 0;
      let end = Number.POSITIVE_INFINITY;
      while (Date.now() < end) {
        await collection.replace(1, { size: ++size });
        if (existsSync(to)) end = Math.min(end, Date.now() + 1000);
      }
      await copied;
      await store.close();
      await checkStore(to, [things]);
      const copy = await openThings(to);
      expect(await contentOf(copy.collection('things'), 1)).toMatchObject({ key: 1, size: expect.any(Number) });
      await copy.close();
    },
  );

  test('rejects an existing target folder', async () => {
    const [folder, to] = [await petFolder(), newFolder()];
    await expect(backup(folder, to)).rejects.toThrow(`${to}: cannot be used (it exists). Choose a new folder.`);
    expect(readdirSync(to)).toEqual([]);
  });

  test('rejects a target folder inside the data folder, and leaves none', async () => {
    const parent = newFolder();
    const [folder, link] = [await petFolder(join(parent, 'data')), join(parent, 'link')];
    symlinkSync(folder, link);
    for (const [from, to] of [
      [folder, join(folder, 'copy')],
      [folder, join(folder, 'segments', 'copy')],
      [link, join(folder, 'copy')],
      [folder, join(link, 'copy')],
    ] as const) {
      const message = `${to}: cannot be used (it is in the data folder). Choose a folder outside it.`;
      await expect(backup(from, to)).rejects.toThrow(message);
      expect(existsSync(to)).toBe(false);
    }
    // The beginning of the name alone puts no folder inside another.
    await backup(folder, join(parent, 'data-copy'));
  });

  test('replaces a damaged folder, as the message of the damage advises; one file of it does not', async () => {
    const [folder, to] = [await petFolder(), join(newFolder(), 'copy')];
    await backup(folder, to);
    const store = await openLowdbStore(folder, allCollections);
    await store.collection('pets').create({ name: 'later', categoryId: 1 });
    await store.close();
    const segment = 'segments/0000000001.jsonl';
    const damaged = () => expect(openLowdbStore(folder, allCollections)).rejects;
    const advice = 'Nothing was changed; restore the data folder from a backup.';
    writeFileSync(join(folder, segment), 'x'.repeat(1000));
    await damaged().toThrow(`${join(folder, segment)}: it is damaged at byte 0. ${advice}`);
    cpSync(join(to, segment), join(folder, segment));
    await damaged().toThrow(`${join(folder, segment)}: its last change is 4 instead of 5. ${advice}`);
    rmSync(join(folder, 'store.json'));
    await expect(backup(folder, `${to}-2`)).rejects.toThrow(
      `${join(folder, 'store.json')}: the file is missing. ${advice}`,
    );
    rmSync(folder, { recursive: true });
    cpSync(to, folder, { recursive: true });
    expect(await checkStore(folder, allCollections)).toMatchObject({ collections: [{ documents: 2, last: 3 }] });
  });

  test('leaves no folder if the store is damaged', async () => {
    const folder = await petFolder();
    writeFileSync(join(folder, 'segments/0000000001.jsonl'), 'x'.repeat(1000));
    const to = join(newFolder(), 'copy');
    await expect(backup(folder, to)).rejects.toThrow(StoreDamagedError);
    expect(existsSync(to)).toBe(false);
  });

  test('says in one line why a folder cannot be written', async (context) => {
    const disk = smallDisk(context, 64);
    const folder = newFolder();
    const store = await openLowdbStore(folder, [things]);
    await store.collection('things').create({ text: 'x'.repeat(100_000) });
    await store.close();
    const [to, file] = [join(disk, 'copy'), join(disk, 'file')];
    writeFileSync(file, '');
    await expect(backup(folder, join(file, 'copy'))).rejects.toThrow(`${file}/copy: cannot be used (ENOTDIR`);
    const full = `${to}: cannot be used (ENOSPC: no space left on device, write). Free some space.`;
    await expect(backup(folder, to)).rejects.toThrow(full);
    // The failed copy is removed, so the same command can be repeated.
    expect(existsSync(to)).toBe(false);
    await expect(backup(folder, to)).rejects.toThrow(full);
  });

  test('makes a folder that can be checked without changing it, also on a read-only disk', async (context) => {
    const folder = newFolder();
    const disk = smallDisk(context, 1024);
    const store = await openLowdbStore(folder, [things]);
    await store.collection('things').create({}, once('k'));
    const to = join(disk, 'copy');
    await backup(folder, to);
    const names = readdirSync(to);
    const expected = { collections: [{ name: 'things', documents: 1, last: 1 }] };
    expect(await checkStore(to, [things])).toMatchObject(expected);
    expect(readdirSync(to)).toEqual(names);
    await expect(checkStore(folder, [things])).rejects.toThrow(StoreLockedError);
    await store.close();
    writeFileSync(join(to, 'lock'), '');
    remountReadOnly(disk);
    expect(await checkStore(to, [things])).toMatchObject(expected);
  });
});

async function petFolder(folder = newFolder()): Promise<string> {
  const store = await openLowdbStore(folder, allCollections);
  for (let i = 0; i < 3; i++) await store.collection('pets').create({ name: `pet ${i}`, categoryId: i });
  await store.collection('pets').remove(3);
  await store.close();
  return folder;
}
