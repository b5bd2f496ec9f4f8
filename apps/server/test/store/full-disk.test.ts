// A full disk and a full store: rejected writes are not done, and writes go on once there is room.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLowdbStore } from '../../src/store/lowdb.ts';
import {
  type Collection,
  type Store,
  StoreError,
  UnavailableError,
} from '../../src/store/store.ts';
import { type Document, everything, key, open, parsed, things } from './fixture.ts';
import { smallDisk } from './mounts.ts';

/** Writes until the disk is full, and notes what was stored. Returns the key of a rejected create. */
async function fill(store: Store, word: string, stored: Map<number, Document>): Promise<string> {
  const collection = store.collection('things');
  let rejected = 0;
  let rejectedKey = '';
  const attempt = async (name: string, write: (things: Collection) => Promise<void>) => {
    try {
      await write(store.collection('things', key(name)));
    } catch (error) {
      expect(error).toBeInstanceOf(UnavailableError);
      expect(String(error)).toMatch(/ENOSPC/);
      rejected++;
      if (name.includes('create')) rejectedKey = name;
    }
  };
  for (let round = 0; rejected < 20; round++) {
    const documents = Array.from({ length: 1 + (round % 9) }, (_, i) => ({
      text: `${word} ${round}.${i}`.padEnd(300),
    }));
    const [first, second] = stored.keys();
    await Promise.all([
      ...documents.map((document, i) =>
        attempt(`${word} create ${round}.${i}`, async (things) => {
          const created = parsed(await things.create(document)) ?? {};
          stored.set(Number(created.key), created);
        }),
      ),
      attempt(`${word} replace ${round}`, async (things) => {
        const replaced = parsed(await things.replace(first ?? 0, { round }));
        if (replaced && first) stored.set(first, replaced);
      }),
      attempt(`${word} remove ${round}`, async (things) => {
        if (second && round % 5 === 0 && (await things.remove(second))) stored.delete(second);
      }),
    ]);
  }
  expect(await everything(collection)).toEqual(sorted(stored));
  return rejectedKey;
}

const sorted = (stored: Map<number, Document>) =>
  [...stored].sort(([a], [b]) => a - b).map(([, document]) => document);

test.for([200, 400])(
  'on a full disk of %d KB rejected writes are not done, and writes go on once there is room',
  async (size, context) => {
    const disk = smallDisk(context, size);
    const folder = join(disk, 'data');
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(100 * 1024));
    const stored = new Map<number, Document>();
    let store = await open(folder);
    await fill(store, 'first', stored);
    await store.check();
    await store.close();

    // The disk is still full when the store is opened again.
    store = await open(folder);
    const rejectedKey = await fill(store, 'second', stored);
    rmSync(ballast);
    const created = await store
      .collection('things', key(rejectedKey))
      .create({ text: 'there is room' });
    expect(created.isReplayed).toBe(false);
    stored.set(Number(parsed(created)?.key), parsed(created) ?? {});
    await fill(store, 'third', stored);
    await store.close();

    store = await open(folder);
    expect(await everything(store.collection('things'))).toEqual(sorted(stored));
    await store.close();
  },
);

test('a folder on a full disk cannot be created, and the error says so', async (context) => {
  const disk = smallDisk(context, 64);
  const ballast = join(disk, 'ballast');
  writeFileSync(ballast, Buffer.alloc(60 * 1024));
  expect(() => writeFileSync(join(disk, 'more'), Buffer.alloc(64 * 1024))).toThrow(/ENOSPC/);
  const folder = join(disk, 'data');
  await expect(open(folder)).rejects.toThrow(StoreError);
  await expect(open(folder)).rejects.toThrow('/disk/data: cannot be used (ENOSPC');
  await expect(open(folder)).rejects.toThrow(/^[^\n]+ free space\.$/);
  rmSync(ballast);
  await (await open(folder)).close();
});

test('a full store rejects what would let it grow, and everything else goes on', async (context) => {
  const store = await openLowdbStore(join(smallDisk(context, 4000), 'data'), [things], {
    size: 100_000,
  });
  const collection = store.collection('things');
  const create = () => collection.create({ text: 'x'.repeat(1000) });
  await expect(Promise.all(Array.from({ length: 200 }, create))).rejects.toThrow(
    /^The store is full/,
  );
  const count = (await everything(collection)).length;
  expect(count).toBeGreaterThan(50);
  await expect(create()).rejects.toThrow(UnavailableError);
  await expect(collection.replace(1, { text: 'x'.repeat(9000) })).rejects.toThrow(UnavailableError);
  expect(parsed(await collection.replace(1, { text: '' }))).toEqual({ key: 1, text: '' });
  await collection.remove(2);
  expect(parsed(await create())?.key).toBe(count + 1);
  await store.close();
});
