import { cpSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, rounds } from '@petstore/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { IDEMPOTENCY_MS, type Store } from '../../src/store/store.ts';
import { once, smallSegments, things } from './store-fixture.ts';

describe.each([
  ['in memory', undefined],
  ['in a folder', newFolder],
])('keys %s', (_, folderOf) => {
  const clock = { now: Date.now() };
  const options = { now: () => clock.now, maxIdempotencyKeys: 100, maxSegment: smallSegments };

  async function open(folder?: string): Promise<Store> {
    const store =
      folder === undefined ? memoryStore([things], options) : await openLowdbStore(folder, [things], options);
    onTestFinished(() => store.close());
    return store;
  }
  const createIn = async (store: Store, key: string) =>
    'isReplayed' in (await store.collection('things').create({ color: 'red' }, once(key)));

  test('are removed after 24 hours, and can be used again', async () => {
    const store = await open(folderOf?.());
    expect(await createIn(store, 'k')).toBe(false);
    clock.now += IDEMPOTENCY_MS - 1;
    expect(await createIn(store, 'k')).toBe(true);
    clock.now += 1;
    expect(await createIn(store, 'k')).toBe(false);
    clock.now += IDEMPOTENCY_MS - 1;
    expect(await createIn(store, 'k')).toBe(true);
    expect(store.idempotency()).toEqual({ keys: 1, forgotten: 0 });
  });

  test('live longer when the clock goes back, and expire in order', async () => {
    const store = await open(folderOf?.());
    await createIn(store, 'before');
    clock.now -= 3_600_000;
    await createIn(store, 'after');
    expect([await createIn(store, 'before'), await createIn(store, 'after')]).toEqual([true, true]);
    clock.now += IDEMPOTENCY_MS;
    expect([await createIn(store, 'before'), await createIn(store, 'after')]).toEqual([true, false]);
    clock.now += IDEMPOTENCY_MS;
    for (let i = 0; i < 3; i++) await createIn(store, `new ${i}`);
    expect(store.idempotency()).toEqual({ keys: 3, forgotten: 0 });
  });

  test('beyond their maximum number, the oldest are removed and counted', async () => {
    const store = await open(folderOf?.());
    for (let i = 0; i < 250; i++) await createIn(store, `k${i}`);
    const { keys, forgotten } = store.idempotency();
    expect([keys + forgotten, keys]).toEqual([250, expect.toSatisfy((n) => n >= 100 && n <= 102)]);
    expect(await createIn(store, 'k249')).toBe(true);
    expect(await createIn(store, 'k151')).toBe(true);
    expect(await createIn(store, 'k0')).toBe(false);
  });

  test('may expire during a repetition, which is then done again, once', async () => {
    const store = await open(folderOf?.());
    const collection = store.collection('things');
    for (let round = 0; round < 20; round++) {
      await createIn(store, 'k');
      clock.now += IDEMPOTENCY_MS - 1;
      const repeating = Array.from({ length: 10 }, () => collection.create({ color: 'red' }, once('k')));
      // Later writes find the first key expired, and remove it.
      clock.now += 1;
      repeating.push(
        ...Array.from({ length: 10 }, (_, i) =>
          collection.create({ color: 'red' }, once(i % 2 ? 'k' : `${round} ${i}`)),
        ),
      );
      const all = await Promise.all(repeating);
      const anew = all.filter(({ isReplayed }) => !isReplayed).length;
      expect(anew).toBeGreaterThanOrEqual(5);
      expect(anew).toBeLessThanOrEqual(6);
      clock.now += IDEMPOTENCY_MS;
    }
    const { count } = await collection.list({ after: 0, limit: 1000 });
    expect(count).toBeGreaterThanOrEqual(20 * 6);
    expect(count).toBeLessThanOrEqual(20 * 7);
  });

  if (folderOf)
    test('leave nothing in the folder when they are removed, and are bounded after a reopening', async () => {
      const folder = folderOf();
      const first = await open(folder);
      for (let i = 0; i < 500; i++) await createIn(first, `k${i}`);
      await first.close();
      const again = await open(folder);
      expect(again.idempotency().keys).toBeLessThanOrEqual(102);
      expect(await createIn(again, 'k499')).toBe(true);
      clock.now += IDEMPOTENCY_MS;
      for (let i = 0; i < 120; i++) await createIn(again, `new ${i}`);
      await again.close();
      const last = await open(folder);
      expect(last.idempotency().keys).toBeLessThanOrEqual(102);
      expect(await createIn(last, 'new 119')).toBe(true);
      expect(await createIn(last, 'k499')).toBe(false);
    });
});

test('repeating all writes of a commit takes CPU time linear in their number', async () => {
  const store = await openLowdbStore(newFolder(), [things]);
  onTestFinished(() => store.close());
  const cpuTimeOf = async (count: number, times: number) => {
    const before = process.cpuUsage();
    for (let time = 0; time < times; time++)
      await Promise.all(
        Array.from({ length: count }, (_, i) => store.collection('things').create({}, once(`${count} ${i}`))),
      );
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  let [few, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // Other load only adds time, so the least times are compared, until they show the promise.
  for (let round = 0; round < 20 && (round < 3 || many >= 3 * few); round++) {
    few = Math.min(few, await cpuTimeOf(125, 8));
    many = Math.min(many, await cpuTimeOf(1000, 1));
  }
  expect(many).toBeLessThan(3 * few);
});

test('after any power cut, a document and its key exist together', async () => {
  const folder = newFolder();
  const first = await openLowdbStore(folder, [things]);
  // The manifest before the writes: its high-water mark follows them after at most a second.
  const manifest = readFileSync(join(folder, 'store.json'));
  const create = (store: Store, size: number) => store.collection('things').create({ size }, once(`key ${size}`));
  for (let size = 0; size < 4; size++) await create(first, size);
  await first.close();
  const [segment = ''] = readdirSync(join(folder, 'segments')).filter((name) => name.endsWith('.jsonl'));
  const { size: bytes } = statSync(join(folder, 'segments', segment));
  let survivors = 0;
  for (let end = 0; end <= bytes; end += rounds(23, 1)) {
    const copy = newFolder();
    cpSync(folder, copy, { recursive: true });
    writeFileSync(join(copy, 'store.json'), manifest);
    truncateSync(join(copy, 'segments', segment), end);
    const store = await openLowdbStore(copy, [things], { onWarning: () => {} });
    const before = (await store.collection('things').list({ after: 0, limit: 9 })).count;
    const repeated = [];
    for (let size = 0; size < 4; size++) repeated.push(await create(store, size));
    expect(repeated.filter(({ isReplayed }) => isReplayed)).toHaveLength(before);
    expect(repeated.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    survivors += before;
    await store.close();
  }
  expect(survivors).toBeGreaterThan(0);
});
