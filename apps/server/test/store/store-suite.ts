import { describe, expect, test } from 'vitest';
import { decode, documentsIn } from '../../src/store/document.ts';
import { NoIdLeftError, StoreUnavailableError } from '../../src/store/errors.ts';
import { addMany, contentOf, contents } from './store-contents.ts';
import { once, others, type StoreFixture, things, usingStore } from './store-fixture.ts';
import { likeAMap } from './store-model.ts';

const collections = [things, others];

/** The promises of every store, tested with documents of no particular service. */
export function storeSuite(fixture: StoreFixture) {
  const { open, reopen } = fixture;
  const using = usingStore(open);

  describe('create', () => {
    test('stores the document under an ascending identifier, with all its properties', () =>
      using(async (collection) => {
        const properties = {
          color: 'red',
          nested: { crc32: [1, null, { deep: true }] },
          'Ünïcødé 猫': '🐈\u0000\n',
          size: -0.5,
        };
        const first = await collection.create(properties);
        const second = await collection.create({});
        expect(decode(first.json)).toEqual({ key: first.id, ...properties });
        expect(await contentOf(collection, first.id)).toEqual({ key: first.id, ...properties });
        expect(await contentOf(collection, second.id)).toEqual({ key: second.id });
        expect(second.id).toBeGreaterThan(first.id);
      }));

    test('stores integers beyond 2^53 exactly', () =>
      using(async (collection) => {
        const properties = { large: 9_223_372_036_854_775_807n, small: -9_223_372_036_854_775_808n };
        const { id } = await collection.create(properties);
        expect(await contentOf(collection, id)).toEqual({ key: id, ...properties });
      }));

    test('gives each of many concurrent documents its own identifier', () =>
      using(async (collection) => {
        const added = await addMany(collection, 2500);
        expect(new Set(added.map(({ id }) => id)).size).toBe(2500);
        expect((await contents(collection, { after: 0, limit: 5000 })).map(({ key }) => key)).toEqual(
          added.map(({ id }) => id).toSorted((a, b) => a - b),
        );
      }));

    test('stores a document of a megabyte', () =>
      using(async (collection) => {
        const { id } = await collection.create({ text: '猫'.repeat(350_000), color: 'red' });
        expect(await contentOf(collection, id)).toEqual({ key: id, text: '猫'.repeat(350_000), color: 'red' });
      }));
  });

  describe('replace', () => {
    test('replaces the document, under another version', () =>
      using(async (collection) => {
        const { id, version } = await collection.create({ color: 'red', size: 1 });
        const replaced = await collection.replace(id, { color: 'blue' });
        expect(replaced).toMatchObject({ outcome: 'stored', id });
        expect(await contentOf(collection, id)).toEqual({ key: id, color: 'blue' });
        expect((await collection.get(id))?.version).not.toBe(version);
        expect(await contents(collection, { after: 0, limit: 9, filter: { property: 'color', value: 'red' } })).toEqual(
          [],
        );
        const blue = await contents(collection, { after: 0, limit: 9, filter: { property: 'color', value: 'blue' } });
        expect(blue).toEqual([{ key: id, color: 'blue' }]);
      }));

    test('succeeds for one of many that replace the same version', () =>
      using(async (collection) => {
        const { id, version } = await collection.create({ round: 0 });
        const all = Array.from({ length: 20 }, (_, i) =>
          collection.replace(id, { round: i + 1 }, { ifVersion: version }),
        );
        const outcomes = (await Promise.all(all)).map(({ outcome }) => outcome);
        expect(outcomes.filter((one) => one === 'stored')).toHaveLength(1);
        expect(outcomes.filter((one) => one === 'conflict')).toHaveLength(19);
        const winner = outcomes.indexOf('stored') + 1;
        expect(await contentOf(collection, id)).toEqual({ key: id, round: winner });
      }));

    test('reports a missing document', () =>
      using(async (collection) => {
        expect(await collection.replace(1, {})).toEqual({ outcome: 'missing' });
        expect(await collection.replace(1, {}, { ifVersion: '1' })).toEqual({ outcome: 'missing' });
      }));
  });

  describe('remove', () => {
    test('removes the document, and never reuses its identifier', () =>
      using(async (collection) => {
        const { id } = await collection.create({ color: 'red' });
        expect(await collection.remove(id)).toEqual({ outcome: 'removed' });
        expect(await collection.get(id)).toBeUndefined();
        expect(await collection.remove(id)).toEqual({ outcome: 'missing' });
        expect((await collection.create({})).id).toBeGreaterThan(id);
      }));

    test('does not remove a document of another version', () =>
      using(async (collection) => {
        const { id, version } = await collection.create({});
        await collection.replace(id, { size: 1 });
        // An entity tag may be empty, and a version may come from another store.
        for (const ifVersion of [version, '', '0', 'x', '9'.repeat(30)])
          expect(await collection.remove(id, { ifVersion })).toEqual({ outcome: 'conflict' });
        expect(await contentOf(collection, id)).toEqual({ key: id, size: 1 });
      }));
  });

  test('an index may have the name of a property that every object inherits', async () => {
    const declared = [{ ...things, indexes: ['constructor', 'toString'] }];
    let store = await open(declared);
    const list = (value: unknown) =>
      contents(store.collection('things'), { after: 0, limit: 9, filter: { property: 'constructor', value } });
    const { id } = await store.collection('things').create({});
    await store.collection('things').create({ constructor: 'Ferrari' });
    const expectFound = async () =>
      expect([await list(null), await list('Ferrari')]).toEqual([
        [{ key: id }],
        [{ key: id + 1, constructor: 'Ferrari' }],
      ]);
    await expectFound();
    await store.close();
    if (!reopen) return;
    store = await reopen(declared);
    await expectFound();
    await store.close();
  });

  describe('list', () => {
    test('is empty in an empty store', () =>
      using(async (collection) => {
        const nothing = { count: 0, last: 0, more: false };
        expect(await collection.list({ after: 0, limit: 100 })).toMatchObject(nothing);
        expect(await collection.list({ after: 0, limit: 100, filter: { property: 'size', value: 1 } })).toMatchObject(
          nothing,
        );
        await addMany(collection, 3);
        expect(await collection.list({ after: Number.MAX_SAFE_INTEGER, limit: 100 })).toMatchObject(nothing);
      }));

    test('finds the only matching document among thousands', () =>
      using(async (collection) => {
        await addMany(collection, 1500, { color: 'blue' });
        const { id } = await collection.create({ color: 'red' });
        await addMany(collection, 1500, { text: '","color":"red"}' });
        const filter = { property: 'color', value: 'red' };
        expect(await contents(collection, { after: 0, limit: 100, filter })).toEqual([{ key: id, color: 'red' }]);
        expect(await contents(collection, { after: id - 1, limit: 1, filter })).toEqual([{ key: id, color: 'red' }]);
        expect(await contents(collection, { after: id, limit: 100, filter })).toEqual([]);
      }));

    test('ends a page early that would be too large, and reports that more may follow', () =>
      using(async (collection) => {
        await addMany(collection, 5, { text: 'x'.repeat(1000) });
        const page = await collection.list({ after: 0, limit: 5, maxBytes: 1500 });
        expect(page).toMatchObject({ count: 2, more: true });
        expect(await collection.list({ after: page.last, limit: 5, maxBytes: 10 })).toMatchObject({
          count: 1,
          more: true,
        });
        expect(await collection.list({ after: page.last, limit: 5 })).toMatchObject({ count: 3, more: false });
      }));
  });

  test('separates its collections', () =>
    using(async (collection, store) => {
      const other = store.collection('others');
      await collection.create({ size: 1 });
      const { id } = await other.create({ key: 'mine' });
      expect(await contentOf(other, id)).toEqual({ id, key: 'mine' });
      expect((await other.list({ after: 0, limit: 9 })).count).toBe(1);
      expect(() => store.collection('unknown')).toThrow();
    }));

  describe('restore', () => {
    test('stores documents whose identifiers are higher than all assigned ones; otherwise stores none of them', () =>
      using(async (collection) => {
        const { id } = await collection.create({});
        const documents = [
          { key: id + 5, color: 'red' },
          { key: id + 9, size: 2 },
        ];
        expect(await collection.restore(documents)).toBe(true);
        expect(await collection.restore([{ key: id + 9 }, { key: id + 10 }])).toBe(false);
        expect(await contents(collection, { after: id, limit: 9 })).toEqual(documents);
        expect((await collection.create({})).id).toBeGreaterThan(id + 9);
      }));

    test('may use the highest identifier, after which creates fail, but not the writes of the same commit', () =>
      using(async (collection) => {
        const highest = { key: Number.MAX_SAFE_INTEGER, color: 'red' };
        expect(await collection.restore([highest])).toBe(true);
        const creates = [collection.create({}), collection.create({}, once('k'))];
        const replaced = collection.replace(highest.key, { color: 'blue' });
        await Promise.all(creates.map((created) => expect(created).rejects.toThrow(NoIdLeftError)));
        expect(await replaced).toMatchObject({ outcome: 'stored' });
        expect(await contents(collection, { after: 0, limit: 9 })).toEqual([{ ...highest, color: 'blue' }]);
      }));
  });

  test('makes a change visible before it is acknowledged, while others write', () =>
    using(async (collection) => {
      const rest = addMany(collection, 200);
      for (let size = 0; size < 20; size++) {
        const { id } = await collection.create({ color: 'red' });
        await collection.replace(id, { color: 'blue', size });
        expect(await contentOf(collection, id)).toEqual({ key: id, color: 'blue', size });
        const filter = { property: 'size', value: size };
        expect((await contents(collection, { after: id - 1, limit: 1, filter })).at(0)?.key).toBe(id);
        await collection.remove(id);
        expect(await collection.get(id)).toBeUndefined();
      }
      await rest;
    }));

  test('lists each lasting document once, page by page, while others are created, changed and removed', () =>
    using(async (collection) => {
      const lasting = (await addMany(collection, 300, { color: 'red' })).map(({ id }) => id);
      const isOver = { now: false };
      const churn = async () => {
        while (!isOver.now) {
          const { id } = await collection.create({ color: 'red' });
          await collection.replace(id, { color: 'blue' });
          const some = lasting[id % lasting.length] ?? 0;
          await collection.replace(some, { color: 'red', size: id });
          await collection.remove(id);
          // A store in memory never yields to the event loop.
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const churning = Array.from({ length: 8 }, churn);
      for (let round = 0; round < 10; round++) {
        const keys: unknown[] = [];
        for (let after = 0, more = true; more; ) {
          const page = await collection.list({ after, limit: 7 });
          for (const document of documentsIn(page)) keys.push(decode(document).key);
          ({ last: after, more } = page);
          await new Promise((resolve) => setImmediate(resolve));
        }
        expect(new Set(keys).size).toBe(keys.length);
        expect(keys.filter((id) => lasting.includes(Number(id)))).toEqual(lasting);
      }
      isOver.now = true;
      await Promise.all(churning);
    }));

  test('behaves like a map of documents', () => likeAMap(fixture));

  test('is ready until it is closed; then it rejects writes', async () => {
    const store = await open(collections);
    expect(await store.ready()).toBe(true);
    await store.close();
    expect(await store.ready()).toBe(false);
    expect(store.hasFailed()).toBe(false);
    const collection = store.collection('things');
    for (const write of [collection.create({}), collection.replace(1, {}), collection.restore([{ key: 1 }])])
      await expect(write).rejects.toThrow(StoreUnavailableError);
  });
}
