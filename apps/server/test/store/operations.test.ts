import { execFile } from 'node:child_process';
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
import { promisify } from 'node:util';
import { newFolder, skips, unprivilegedUser } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { allCollections } from '../../src/collections.ts';
import { createKey } from '../../src/keys/key-file.ts';
import {
  StoreDamagedError,
  StoreFolderError,
  StoreLockedError,
  StoreUnavailableError,
} from '../../src/store/errors.ts';
import { GroupCommit } from '../../src/store/group-commit.ts';
import { backup } from '../../src/store/lowdb/backup.ts';
import { checkStore, openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { openingStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { listen } from '../listen.ts';
import { main } from '../server-process.ts';
import { openWritten, startWriters } from './child.ts';
import { remountReadOnly, smallDisk } from './mounts.ts';
import { flipped, lay } from './small-store.ts';
import { addMany, everything, filesIn } from './store-contents.ts';
import { smallSegments, things } from './store-fixture.ts';
import { WrittenModel } from './written-model.ts';

const run = promisify(execFile);

async function petstoreServer(...args: string[]) {
  const { DATABASE_URL: _, ...env } = process.env;
  const ended = run(process.execPath, [main, ...args], { env });
  return ended.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

async function petFolder(): Promise<string> {
  const folder = newFolder();
  const store = await openLowdbStore(folder, allCollections);
  for (let i = 0; i < 3; i++) await store.collection('pets').create({ name: `pet ${i}`, categoryId: i });
  await store.collection('pets').remove(3);
  await store.close();
  return folder;
}

describe('petstore-server check', () => {
  test('prints what a sound folder holds, and changes nothing', async () => {
    const folder = await petFolder();
    const before = filesIn(folder);
    const { code, stdout } = await petstoreServer('check', '--data-dir', folder);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^pets: 2 documents, highest identifier 3\n1 segments of .*\n.* is not damaged \(format 4\)\.\n$/,
    );
    expect(filesIn(folder)).toEqual(before);
  });

  test('names a damaged file in one line, with exit code 1', async () => {
    const folder = await petFolder();
    const files = filesIn(folder);
    const [path = '', bytes = Buffer.alloc(0)] = [...files].find(([name]) => name.endsWith('.jsonl')) ?? [];
    lay(folder, new Map(files).set(path, flipped(bytes, 40)));
    const { code, stderr } = await petstoreServer('check', '--data-dir', folder);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^petstore-server: .*0000000001\.jsonl: .*\n$/)]);
  });

  test('reports a folder without a store', async () => {
    const { code, stderr } = await petstoreServer('check', '--data-dir', newFolder());
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^petstore-server: there is no store in .*\n$/)]);
  });
});

describe('petstore-server backup', () => {
  test('copies the folder with its keys while a server writes, seals and merges', async () => {
    const folder = newFolder();
    const copies = newFolder();
    const model = new WrittenModel();
    const { key } = await createKey(folder, 'ci');
    const writers = startWriters(folder, 'word', 16, 4000);
    await writers.open;
    const made: string[] = [];
    const isOver = { now: false };
    const ended = writers.ended.finally(() => {
      isOver.now = true;
    });
    while (!isOver.now) {
      const to = join(copies, String(made.length));
      await backup(folder, to);
      made.push(to);
    }
    model.learn(await ended);
    const last = await petstoreServer('backup', join(copies, 'last'), '--data-dir', folder);
    expect([last.code, last.stdout]).toEqual([0, '']);
    const { collections } = await checkStore(join(copies, 'last'), [things]);
    expect(collections).toMatchObject([{ name: 'things' }]);
    const store = await openWritten(join(copies, 'last'));
    await model.check(store);
    await store.close();
    expect(readFileSync(join(copies, 'last/keys.json'))).toEqual(readFileSync(join(folder, 'keys.json')));
    expect(key).toBeTruthy();
    for (const to of made) {
      const copy = await openWritten(to, () => {});
      const documents = await everything(copy.collection('things'));
      expect(new Set(documents.map(({ key }) => key)).size).toBe(documents.length);
      await copy.close();
    }
    expect(made.length).toBeGreaterThan(0);
  });

  test('rejects an existing target folder', async () => {
    const [folder, to] = [await petFolder(), newFolder()];
    await expect(backup(folder, to)).rejects.toThrow(StoreFolderError);
    await expect(backup(folder, to)).rejects.toThrow(`${to}: cannot be used (it exists). Choose a new folder.`);
    expect(readdirSync(to)).toEqual([]);
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
    await expect(backup(folder, join(file, 'copy'))).rejects.toThrow(StoreFolderError);
  });

  test('makes a folder that can be checked without changing it, also on a read-only disk', async (context) => {
    const folder = newFolder();
    const disk = smallDisk(context, 1024);
    const store = await openLowdbStore(folder, [things]);
    await store.collection('things').create({}, { idempotency: { key: 'k', fingerprint: 'f' } });
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

test('a process without file descriptors at the end of a segment rejects writes, and recovers; reads need few', async () => {
  const script = fileURLToPath(new URL('few-files.ts', import.meta.url));
  const command = 'ulimit -n 64; exec "$0" "$@"';
  const { stdout } = await run('bash', ['-c', command, process.execPath, script, newFolder()]);
  const unavailable = 'StoreUnavailableError';
  expect(JSON.parse(stdout)).toEqual({
    without: [unavailable, unavailable, 'open'],
    isNext: true,
    state: 'open',
    found: true,
  });
});

test('the high-water mark follows the last write in bounded time, and a cut before it is detected', async () => {
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
  lay(folder, files.set(path, bytes.subarray(0, bytes.indexOf('\n') + 1)));
  const opening = openLowdbStore(folder, [things]);
  await expect(opening).rejects.toThrow(StoreDamagedError);
  await expect(opening).rejects.toThrow('the changes 2 to 10 are missing');
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

test('while the disk stalls, writes beyond a bound are rejected and not done', async () => {
  const { promise: stalled, resolve: go } = Promise.withResolvers<void>();
  const committed: number[] = [];
  const group = new GroupCommit<number, number>(async (writes) => {
    await stalled;
    committed.push(...writes);
    return writes;
  });
  const writes = Array.from({ length: 25_000 }, (_, i) => group.add(i, 10));
  const results = Promise.allSettled(writes);
  const large = group.add(-1, 2 ** 27);
  await expect(large).rejects.toThrow(StoreUnavailableError);
  go();
  const stored = (await results).flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  expect(stored.length).toBeLessThan(25_000);
  expect(committed).toEqual(stored);
  await group.close();
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
      await expect(opened).rejects.toThrow('Replace the symbolic link with its file');
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
  const folder = newFolder();
  chownSync(folder, user?.uid ?? 0, user?.gid ?? 0);
  const store = await openLowdbStore(folder, [things], { maxSegment: smallSegments });
  await addMany(store.collection('things'), 200);
  await addMany(store.collection('things'), 200);
  await store.close();
  await createKey(folder);
  await backup(folder, join(folder, 'copy'));
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) expect([name, lstatSync(join(folder, name)).uid]).toEqual([name, user?.uid]);
});
