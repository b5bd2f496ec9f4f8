import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, rounds } from '@petstore/testing';
import { expect, test } from 'vitest';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { addMany, everything } from './store-contents.ts';
import { things } from './store-fixture.ts';

const maxSegment = 2 ** 15;
const bytesIn = (folder: string) =>
  readdirSync(join(folder, 'segments')).reduce((sum, file) => sum + statSync(join(folder, 'segments', file)).size, 0);

test('ten rewrites of every document use at most 2.5 times the disk space of the documents', async () => {
  const folder = newFolder();
  const store = await openLowdbStore(folder, [things], { maxSegment });
  const collection = store.collection('things');
  const count = rounds(4000, 40_000);
  const ids: number[] = [];
  while (ids.length < count)
    for (const { id } of await addMany(collection, 1000, { text: 'x'.repeat(80) })) ids.push(id);
  for (let round = 0; round < 10; round++) {
    const rewrite = (id: number) => collection.replace(id, { text: `${round}${'y'.repeat(80)}` });
    for (let at = 0; at < ids.length; at += 1000) await Promise.all(ids.slice(at, at + 1000).map(rewrite));
  }
  const documents = await everything(collection);
  const needed = Buffer.byteLength(JSON.stringify(documents));
  // Merging runs in the background.
  await expect.poll(() => bytesIn(folder), { timeout: 20_000 }).toBeLessThan(2.5 * needed);
  console.log(`disk space: ${(bytesIn(folder) / needed).toFixed(2)} times that of the documents`);
  await store.close();
  const again = await openLowdbStore(folder, [things], { maxSegment });
  expect(await everything(again.collection('things'))).toEqual(documents);
  await again.close();
});

test('short-lived documents leave only a bounded number of tombstones', async () => {
  const folder = newFolder();
  let store = await openLowdbStore(folder, [things], { maxSegment });
  const lasting = (await addMany(store.collection('things'), 1000)).map(({ id }) => id);
  let last = 0;
  for (let round = 0; round < rounds(12, 100); round++) {
    const collection = store.collection('things');
    const added = await addMany(collection, 500, { text: 'x'.repeat(100) });
    last = added.at(-1)?.id ?? 0;
    await Promise.all(added.map(({ id }) => collection.remove(id)));
    if (round % 4 !== 3) continue;
    await store.close();
    store = await openLowdbStore(folder, [things], { maxSegment });
    expect((await everything(store.collection('things'))).map(({ key }) => key)).toEqual(lasting);
  }
  expect((await store.collection('things').create({})).id).toBe(last + 1);
  // Merging runs in the background.
  await expect.poll(() => bytesIn(folder), { timeout: 20_000 }).toBeLessThan(150_000);
  await store.close();
});

test('a new index finds the documents that were sealed before', async () => {
  const folder = newFolder();
  const store = await openLowdbStore(folder, [{ ...things, indexes: [] }], { maxSegment });
  await addMany(store.collection('things'), 1000);
  await store.close();
  const again = await openLowdbStore(folder, [things], { maxSegment });
  const filter = { property: 'color', value: 'red' };
  // Every fourth document is red.
  expect((await again.collection('things').list({ after: 0, limit: 1000, filter })).count).toBe(250);
  await again.close();
});

test('a filter does not find a removed document whose tombstone is in a sealed segment', async () => {
  const folder = newFolder();
  const store = await openLowdbStore(folder, [things], { maxSegment });
  const [first] = await addMany(store.collection('things'), 400);
  await store.collection('things').remove(first?.id ?? 0);
  await addMany(store.collection('things'), 400);
  await addMany(store.collection('things'), 4);
  await store.close();
  const again = await openLowdbStore(folder, [things], { maxSegment });
  const filter = { property: 'color', value: 'red' };
  // Every fourth of 804, without the removed one.
  expect((await again.collection('things').list({ after: 0, limit: 1000, filter })).count).toBe(200);
  await again.close();
});

test('a replaced file that cannot be removed is reported once, and removed later', async () => {
  const folder = newFolder();
  const warnings: string[] = [];
  const store = await openLowdbStore(folder, [things], { maxSegment, onWarning: (line) => warnings.push(line) });
  const collection = store.collection('things');
  const file = join(folder, 'segments/0000000001.jsonl');
  // The store has the file open, so it writes on after the move. A folder cannot be removed like a file.
  renameSync(file, `${file}.moved`);
  mkdirSync(file);
  const segments = () => readdirSync(join(folder, 'segments')).filter((name) => /^\d+\.jsonl?$/.test(name));
  while (warnings.length === 0) await addMany(collection, 100);
  // Meanwhile, other segments are sealed and removed.
  for (let i = 0; i < 10; i++) await addMany(collection, 100);
  // The folder, and the current segment.
  await expect.poll(() => segments().filter((name) => name.endsWith('.jsonl'))).toHaveLength(2);
  expect(warnings).toEqual([expect.stringContaining(`${file}: cannot be removed now (`)]);
  rmdirSync(file);
  renameSync(`${file}.moved`, file);
  while (existsSync(file)) await addMany(collection, 100);
  await store.close();
});
