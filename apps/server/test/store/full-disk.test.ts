import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StoreUnavailableError, StoreUncertainError } from '../../src/store/errors.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { type Collection, IDEMPOTENCY_MS, type Properties } from '../../src/store/store.ts';
import { smallDisk } from './mounts.ts';
import { everything } from './store-contents.ts';
import { once, openThings, things } from './store-fixture.ts';

/**
 * Creates, replaces and removes documents until some writes are rejected, and notes what was stored. Returns the key of a
 * create that was rejected.
 */
async function fill(collection: Collection, word: string, stored: Map<number, Properties>) {
  let rejected = 0;
  let rejectedKey = '';
  const attempt = async (work: () => Promise<void>, key?: string) => {
    await work().catch((error: unknown) => {
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error).not.toBeInstanceOf(StoreUncertainError);
      expect(String(error)).toMatch(/disk is full/);
      rejected++;
      rejectedKey = key ?? rejectedKey;
    });
  };
  for (let round = 0; rejected < 20; round++) {
    const properties = (i: number) => ({ text: `${word} ${round}.${i} ${'x'.repeat(round % 200)}`, color: 'red' });
    const creates = Array.from({ length: 1 + (round % 9) }, (_, i) =>
      attempt(async () => {
        const { id } = await collection.create(properties(i), once(`${word} ${round}.${i}`));
        stored.set(id, { key: id, ...properties(i) });
      }, `${word} ${round}.${i}`),
    );
    const [first, second] = [...stored.keys()];
    if (first !== undefined)
      creates.push(
        attempt(async () => {
          await collection.replace(first, properties(10));
          stored.set(first, { key: first, ...properties(10) });
        }),
      );
    if (second !== undefined && round % 5 === 0)
      creates.push(
        attempt(async () => {
          await collection.remove(second);
          stored.delete(second);
        }),
      );
    await Promise.all(creates);
  }
  return rejectedKey;
}

test.for([96, 256, 400])(
  'on a full disk of %d KB no rejected write is ever visible, and writes succeed once there is space',
  async (kilobytes, context) => {
    const disk = smallDisk(context, kilobytes);
    const folder = join(disk, 'data');
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(48 * 1024));
    const stored = new Map<number, Properties>();
    const expectStored = async (collection: Collection) =>
      expect(await everything(collection)).toEqual([...stored].sort(([a], [b]) => a - b).map(([, one]) => one));

    const store = await openThings(folder);
    await fill(store.collection('things'), 'first', stored);
    await expectStored(store.collection('things'));
    expect(await store.ready()).toBe(true);
    await store.close();

    // The disk is still full when the store is opened again.
    const second = await openThings(folder);
    const things = second.collection('things');
    await expectStored(things);
    const rejectedKey = await fill(things, 'second', stored);
    await expectStored(things);

    rmSync(ballast);
    const { id, isReplayed } = await things.create({ text: 'there is room' }, once(rejectedKey));
    expect([rejectedKey, isReplayed]).toEqual([expect.stringMatching(/^second/), undefined]);
    stored.set(id, { key: id, text: 'there is room' });
    await fill(things, 'third', stored);
    await expectStored(things);
    await second.close();

    const third = await openThings(folder);
    await expectStored(third.collection('things'));
    await third.close();
    console.log(`${stored.size} documents on ${kilobytes} KB`);
  },
);

test('a folder on a full disk cannot be created, and the error says so', async (context) => {
  const disk = smallDisk(context, 64);
  expect(() => writeFileSync(join(disk, 'ballast'), Buffer.alloc(64 * 1024))).not.toThrow();
  const folder = join(disk, 'data');
  const full = /^.*disk\/data: cannot be used \(ENOSPC.*\)\. Free some space\.$/;
  await expect(openLowdbStore(folder, [things])).rejects.toThrow(full);
  rmSync(join(disk, 'ballast'));
  await (await openLowdbStore(folder, [things])).close();
});

test('expired keys are removed from the folder, also if the first commits that remove them are rejected', async (context) => {
  const disk = smallDisk(context, 200);
  const [folder, ballast] = [join(disk, 'data'), join(disk, 'ballast')];
  const clock = { now: Date.now() };
  const open = () => openLowdbStore(folder, [things], { now: () => clock.now });
  const store = await open();
  const collection = store.collection('things');
  for (let i = 0; i < 20; i++) await collection.create({}, once(`old ${i}`));
  clock.now += IDEMPOTENCY_MS;
  writeFileSync(ballast, Buffer.alloc(150 * 1024));
  const large = { text: 'x'.repeat(100_000) };
  for (let i = 0; i < 20; i++)
    await expect(collection.create(large, once(`large ${i}`))).rejects.toThrow(StoreUnavailableError);
  rmSync(ballast);
  for (let i = 0; i < 20; i++) await collection.create({}, once(`new ${i}`));
  await store.close();
  const again = await open();
  expect(again.idempotency()).toEqual({ keys: 20, forgotten: 0 });
  await again.close();
});
