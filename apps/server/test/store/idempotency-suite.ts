import { describe, expect, test } from 'vitest';
import { decode } from '../../src/store/document.ts';
import { IdempotencyMismatchError } from '../../src/store/errors.ts';
import type { Document, Store } from '../../src/store/store.ts';
import { contentOf, everything } from './store-contents.ts';
import { once, others, type StoreFixture, things, usingStore } from './store-fixture.ts';

const bytesOf = ({ json: { text, encoding } }: Document) => Buffer.from(text, encoding).toString();

/** The promises of every store about writes with an idempotency key. */
export function idempotencySuite({ open, reopen }: StoreFixture) {
  const collections = [things, others];
  const using = usingStore(open);

  describe('a write with a key', () => {
    test('is done once, and a repetition returns the first result', () =>
      using(async (collection) => {
        const first = await collection.create({ size: 1, text: '猫 \u0000 ,"document":' }, once('k'));
        expect(first.isReplayed).toBeUndefined();
        const again = await collection.create({ size: 1 }, once('k'));
        expect(again).toMatchObject({ outcome: 'stored', id: first.id, version: first.version, isReplayed: true });
        expect(bytesOf(again)).toEqual(bytesOf(first));
        expect(await everything(collection)).toEqual([decode(first.json)]);
        expect((await collection.create({ size: 2 }, once('other'))).id).toBe(first.id + 1);
      }));

    test('returns the first result also after the document was changed or removed', () =>
      using(async (collection) => {
        const first = await collection.create({ size: 1, text: 'a' }, once('k'));
        await collection.replace(first.id, { size: 2 });
        expect(bytesOf(await collection.create({ text: 'a', size: 1 }, once('k')))).toEqual(bytesOf(first));
        await collection.remove(first.id);
        expect(bytesOf(await collection.create({ text: 'a', size: 1 }, once('k')))).toEqual(bytesOf(first));
        expect(await everything(collection)).toEqual([]);
      }));

    test('is rejected if the key belongs to another write', () =>
      using(async (collection, store) => {
        await collection.create({ size: 1 }, once('k', 'one'));
        await expect(collection.create({ size: 2 }, once('k', 'two'))).rejects.toThrow(IdempotencyMismatchError);
        await expect(store.collection('others').create({}, once('k', 'two'))).rejects.toThrow(IdempotencyMismatchError);
        expect(await everything(collection)).toHaveLength(1);
        expect(await everything(store.collection('others'))).toEqual([]);
      }));

    test('is done once by concurrent callers, beside writes without a key', () =>
      using(async (collection) => {
        const all = await Promise.all(
          Array.from({ length: 400 }, (_, i) =>
            i % 4 === 3 ? collection.create({ size: i }) : collection.create({ size: i % 40 }, once(`k${i % 40}`)),
          ),
        );
        expect(new Set(all.map(({ id }) => id)).size).toBe(100 + 30);
        const stored = (await everything(collection)).map(({ key }) => key);
        expect(stored).toEqual([...new Set(all.map(({ id }) => id))].toSorted((a, b) => a - b));
        expect(stored).toEqual(Array.from({ length: 130 }, (_, i) => i + 1));
      }));

    test('replaces and removes once', () =>
      using(async (collection) => {
        const { id, version } = await collection.create({ size: 0 });
        const replaced = await collection.replace(id, { size: 1 }, { ...once('replace'), ifVersion: version });
        await collection.replace(id, { size: 2 });
        expect(await collection.replace(id, { size: 1 }, { ...once('replace'), ifVersion: version })).toEqual({
          ...replaced,
          json: expect.anything(),
          isReplayed: true,
        });
        expect(await contentOf(collection, id)).toEqual({ key: id, size: 2 });
        expect(await collection.remove(id, once('remove'))).toEqual({ outcome: 'removed' });
        expect(await collection.remove(id, once('remove'))).toEqual({ outcome: 'removed', isReplayed: true });
      }));

    test('stores no key if it does nothing', () =>
      using(async (collection) => {
        const { id, version } = await collection.create({ size: 0 });
        expect(await collection.replace(id, {}, { ...once('k'), ifVersion: '0' })).toEqual({ outcome: 'conflict' });
        expect(await collection.remove(id + 1, once('k'))).toEqual({ outcome: 'missing' });
        expect(await collection.replace(id, { size: 1 }, { ...once('k'), ifVersion: version })).toMatchObject({
          outcome: 'stored',
        });
      }));
  });

  if (reopen)
    test('keys outlive the store', async () => {
      const store = await open(collections);
      const texts = Array.from({ length: 50 }, (_, i) => ({ text: `猫${i}`.repeat(i) }));
      const create = (from: Store) =>
        Promise.all(texts.map((text, i) => from.collection('things').create(text, once(`k${i}`))));
      const first = await create(store);
      await store.collection('things').remove(1, once('remove'));
      await store.close();
      const again = await reopen(collections);
      const repeated = await create(again);
      expect(repeated.map(({ id, json }) => [id, decode(json)])).toEqual(
        first.map(({ id, json }) => [id, decode(json)]),
      );
      expect(repeated.every(({ isReplayed }) => isReplayed)).toBe(true);
      expect(await again.collection('things').remove(1, once('remove'))).toEqual({
        outcome: 'removed',
        isReplayed: true,
      });
      expect(await everything(again.collection('things'))).toHaveLength(49);
      await again.close();
    });
}
