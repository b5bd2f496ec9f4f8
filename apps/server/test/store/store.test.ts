// One suite for the stores in memory, in a folder and in PostgreSQL.
import { newFolder, rounds } from '@petstore/testing';
import { exactJson } from '@petstore/types';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../src/store/memory.ts';
import {
  type Collection,
  KEYS,
  KeyReusedError,
  MAX_PAGE_SIZE,
  type Store,
  StoredDocument,
  StoredPage,
  StoreError,
  UnavailableError,
} from '../../src/store/store.ts';
import { describeOnSchema } from '../databases.ts';
import { type Document, everything, key, open, others, parsed, things } from './fixture.ts';
import { histories, Model } from './model.ts';

function memoryStore(clock?: () => number): Store {
  const declarations = [things, others];
  return createMemoryStore(declarations, { clock });
}

/** How a suite gets stores: a new place, and the store in a place, which may have been used before. */
interface Fixture {
  newPlace(): Promise<string>;
  open(place: string, clock?: () => number): Promise<Store>;
  /** Whether a store keeps its documents when it is closed. */
  keeps: boolean;
  runs: number;
}

describe('memory', () =>
  suite({
    newPlace: async () => '',
    open: async (_, clock) => memoryStore(clock),
    keeps: false,
    runs: rounds(10, 1000),
  }));

describe('lowdb', () =>
  suite({ newPlace: async () => newFolder(), open, keeps: true, runs: rounds(5, 300) }));

describeOnSchema('PostgreSQL', (newSchema) =>
  suite({ newPlace: newSchema, open, keeps: true, runs: rounds(2, 100) }),
);

function suite(fixture: Fixture) {
  /** Runs work on a new store. */
  const using = (work: (store: Store) => Promise<void>) => async () => {
    const store = await fixture.open(await fixture.newPlace());
    try {
      await work(store);
    } finally {
      await store.close();
    }
  };
  const usingThings = (
    work: (collection: ReturnType<Store['collection']>, store: Store) => Promise<void>,
  ) => using((store) => work(store.collection('things'), store));

  const strange: [what: string, document: Document][] = [
    ['nothing', {}],
    ['nesting', { deep: [{ a: [null, true, { b: {} }] }] }],
    ['64-bit integers', { big: 9223372036854775807n, small: -9223372036854775808n }],
    ['U+0000 and lone surrogates', { text: 'a\0b\ud800', color: 'a\0b', '\0': '\0' }],
    ['line feeds and backslashes', { text: '\n\r\u2028\\u0000\\', color: '\n\\' }],
    ['other scripts', { text: 'Žofie 🐈', color: '🐈' }],
    ['inherited names', JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "toString": "x"}')],
    ['a megabyte', { text: 'x'.repeat(1e6), color: 'c'.repeat(100_000) }],
    ['numbers', { one: 1.5, two: 1e300, three: -0.1, size: 1e21 }],
  ];
  test.for(strange)('keeps %s', async ([, document]) => {
    const place = await fixture.newPlace();
    const store = await fixture.open(place);
    const { json } = await store.collection('things').create(document);
    expect(json.startsWith('{"key":1')).toBe(true);
    expect(parsed({ json })).toEqual({ key: 1, ...document });
    await store.collection('things').create({ color: 'other' });
    await expectKept(store.collection('things'), document, json);
    await store.close();
    if (!fixture.keeps) return;
    const again = await fixture.open(place);
    await expectKept(again.collection('things'), document, json);
    await again.close();
  });

  test(
    'the store assigns the identifier, whatever the document says',
    usingThings(async (collection) => {
      expect(parsed(await collection.create({ key: 77, a: 1 }))).toEqual({ key: 1, a: 1 });
      expect(parsed(await collection.replace(1, { key: 77, a: 2 }))).toEqual({ key: 1, a: 2 });
      expect(await collection.replace(77, {})).toBeUndefined();
      expect(await collection.remove(77)).toBeUndefined();
      expect(await collection.get(Number.MAX_SAFE_INTEGER)).toBeUndefined();
    }),
  );

  test('identifiers are never reused, also after removals and restarts', async () => {
    const place = await fixture.newPlace();
    let store = await fixture.open(place);
    for (let round = 1; round <= 3; round++) {
      const { key: id } = parsed(await store.collection('things').create({ round })) ?? {};
      expect(id).toBe(round);
      expect(parsed(await store.collection('things').remove(round))).toEqual({ key: round, round });
      if (!fixture.keeps) continue;
      await store.close();
      store = await fixture.open(place);
      expect(await store.nextId('things')).toBe(round + 1);
    }
    expect(await store.nextId('others')).toBe(1);
    await store.close();
  });

  test(
    'a page ends early where documents are large, and the next one follows it',
    usingThings(async (collection) => {
      const text = 'x'.repeat(MAX_PAGE_SIZE / 4);
      for (let i = 0; i < 10; i++) await collection.create({ text });
      const page = await collection.list({ after: 0, limit: 100 });
      expect([JSON.parse(page.json).length, page.next]).toEqual([4, 4]);
      expect((await everything(collection, 100)).map(({ key }) => key)).toEqual([
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
      ]);
    }),
  );

  test(
    'writes of the same moment all succeed, each with an identifier of its own',
    usingThings(async (collection) => {
      const created = await Promise.all(
        Array.from({ length: 2500 }, (_, i) => collection.create({ i, color: 'red' })),
      );
      expect(new Set(created.map(({ json }) => JSON.parse(json).key)).size).toBe(2500);
      const all = await everything(collection, 999);
      expect(all.map(({ key }) => key)).toEqual(Array.from({ length: 2500 }, (_, i) => i + 1));
      const changes = await Promise.all([
        collection.replace(1, { round: 1 }),
        collection.replace(1, { round: 2 }),
        collection.remove(1),
        collection.remove(1),
        collection.replace(1, { round: 3 }),
      ]);
      expect(changes.map(parsed)).toEqual([
        { key: 1, round: 1 },
        { key: 1, round: 2 },
        { key: 1, round: 2 },
        undefined,
        undefined,
      ]);
    }),
  );

  test('a write with an idempotency key is done once, and its first response is kept as it was', async () => {
    const place = await fixture.newPlace();
    let store = await fixture.open(place);
    expect(await store.replay(key('create'))).toBeUndefined();
    const created = await store
      .collection('things', key('create'))
      .create({ n: 1, big: 2n ** 62n });
    expect([parsed(created), created.isReplayed]).toEqual([
      { key: 1, n: 1, big: 2n ** 62n },
      false,
    ]);
    await store.collection('things').replace(1, { n: 2 });
    await store.collection('things').create({});
    const removed = await store.collection('things', key('remove')).remove(2);
    for (let round = 0; round < 2; round++) {
      const again = await store.collection('things', key('create')).create({ n: 1 });
      expect(again).toEqual(new StoredDocument(created.json, true));
      expect(await store.replay(key('create'))).toEqual({
        status: 201,
        document: new StoredDocument(created.json, true),
      });
      const removedAgain = await store.collection('things', key('remove')).remove(2);
      expect(removedAgain).toEqual(new StoredDocument(removed?.json ?? '', true));
      if (!fixture.keeps) break;
      await store.close();
      store = await fixture.open(place);
    }
    await store.close();
  });

  test(
    'an idempotency key belongs to its caller and its request, in all collections',
    usingThings(async (collection, store) => {
      await store.collection('things', key('a')).create({});
      const other = key('a', 'other');
      await expect(async () => store.replay(other)).rejects.toThrow(KeyReusedError);
      for (const name of ['things', 'others']) {
        const creating = async () => store.collection(name, key('a', 'other')).create({});
        await expect(creating).rejects.toThrow(KeyReusedError);
      }
      const yours = key('a', 'same', 'you');
      expect(await store.replay(yours)).toBeUndefined();
      expect(parsed(await store.collection('things', yours).create({}))).toEqual({ key: 2 });
      expect(await everything(collection)).toHaveLength(2);
    }),
  );

  test(
    'a keyed request makes one write; what it does not change stores no key',
    usingThings(async (_, store) => {
      const request = key('a');
      const collection = store.collection('things', request);
      await collection.create({});
      for (const name of ['things', 'others'])
        await expect(store.collection(name, request).create({})).rejects.toThrow(/second write/);
      expect(await store.collection('things', key('b')).replace(99, {})).toBeUndefined();
      expect(await store.replay(key('b'))).toBeUndefined();
    }),
  );

  test(
    'of many requests of the same moment with the same key, one is done',
    usingThings(async (collection, store) => {
      const all = Array.from({ length: 20 }, async () =>
        store.collection('things', key('k')).create({ a: 1 }),
      );
      const results = await Promise.all(all);
      expect(results.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
      expect(await everything(collection)).toEqual([{ key: 1, a: 1 }]);
    }),
  );

  test(
    'exported documents are restored under their identifiers, and again without doubles',
    usingThings(async (collection, store) => {
      const documents = new Map([
        [3, { key: 3, a: 1 }],
        [7, { key: 7, b: 2n ** 60n, color: 'red' }],
      ]);
      expect(await store.restore('things', documents)).toBe(2);
      expect(await store.restore('things', documents)).toBe(0);
      expect(await store.nextId('things')).toBe(8);
      await store.reserve('things', 12);
      await store.reserve('things', 4);
      expect(await everything(collection)).toEqual([...documents.values()]);
      expect(await store.nextId('things')).toBe(12);
      const filters = { color: 'red' };
      expect(await collection.list({ after: 0, limit: 9, filters })).toEqual(
        new StoredPage(`[${exactJson(documents.get(7))}]`),
      );
      await expect(store.restore('things', new Map([[3, { a: 2 }]]))).rejects.toThrow(StoreError);
      expect(parsed(await collection.get(3))).toEqual({ key: 3, a: 1 });
      expect(parsed(await collection.create({}))).toEqual({ key: 12 });
    }),
  );

  test(
    'no identifier is beyond the last safe integer',
    usingThings(async (collection, store) => {
      await store.restore('things', new Map([[Number.MAX_SAFE_INTEGER - 1, {}]]));
      await expect(async () => collection.create({})).rejects.toThrow(UnavailableError);
    }),
  );

  test('behaves as a map with several filters and idempotency keys, with restarts', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (steps) => {
        const place = await fixture.newPlace();
        const open = () => fixture.open(place);
        const model = new Model(await open(), fixture.keeps ? open : undefined);
        try {
          for (const [number, step] of steps.entries()) await model.take(step, number);
          await model.compareAll();
        } finally {
          await model.close();
        }
      }),
      { numRuns: fixture.runs },
    );
  });

  test(
    'reads of the same moment each get their own answer',
    usingThings(async (collection, store) => {
      const created: StoredDocument[] = [];
      for (let i = 0; i < 3; i++)
        created.push(await store.collection('things', key(`${i}`)).create({ i }));
      const numbers = Array.from({ length: 100 }, (_, i) => (i * 7) % 5);
      const gets = await Promise.all(numbers.map((i) => collection.get(i + 1)));
      expect(gets).toEqual(numbers.map((i) => created[i]));
      const replays = await Promise.all(numbers.map((i) => store.replay(key(`${i}`))));
      expect(replays.map((replay) => replay?.document.json)).toEqual(
        numbers.map((i) => created[i]?.json),
      );
      const pages = await Promise.all(
        numbers.map((i) => collection.list({ after: i, limit: 1 + (i % 2) })),
      );
      expect(pages.map(({ json }) => JSON.parse(json).length)).toEqual(
        numbers.map((i) => Math.max(0, Math.min(3 - i, 1 + (i % 2)))),
      );
    }),
  );

  test('idempotency keys expire after 24 hours by the clock of the store', async () => {
    let now = 1_800_000_000_000;
    const store = await fixture.open(await fixture.newPlace(), () => now);
    const create = () => store.collection('things', key('k')).create({});
    await create();
    now += KEYS.milliseconds - 1;
    expect((await create()).isReplayed).toBe(true);
    now += 1;
    expect(await store.replay(key('k'))).toBeUndefined();
    expect(parsed(await create())).toEqual({ key: 2 });
    expect((await create()).isReplayed).toBe(true);
    expect(store.stats().forgottenKeys).toBe(0);
    await store.close();
  });

  test('a closed store is not ready, and rejects writes', async () => {
    const store = await fixture.open(await fixture.newPlace());
    await store.check();
    await store.close();
    if (!fixture.keeps) return;
    await expect(store.check()).rejects.toThrow(UnavailableError);
    await expect(async () => store.collection('things').create({})).rejects.toThrow(
      UnavailableError,
    );
  });
}

/** The first of two documents is found by its identifier, in a page, and by its color. */
async function expectKept(collection: Collection, document: Document, json: string) {
  expect((await collection.get(1))?.json).toBe(json);
  const page = await collection.list({ after: 0, limit: 1 });
  expect(page).toEqual(new StoredPage(`[${json}]`, 1));
  if (document.color === undefined) return;
  const filters = { color: String(document.color) };
  const filtered = await collection.list({ after: 0, limit: 1, filters });
  expect(filtered).toEqual(new StoredPage(`[${json}]`));
}

describe('idempotency keys in memory', () => {
  test.for([
    ['size', 70, 2 ** 20, 7],
    ...rounds([], [['number', KEYS.count + 10, 1, 10]] as const),
  ] as const)(
    'beyond a %s the oldest are forgotten and counted',
    async ([, count, length, forgotten]) => {
      const store = memoryStore();
      const text = 'x'.repeat(length);
      for (let i = 0; i < count; i++) {
        await store.collection('things', key(`${i}`)).create({ text });
        await store.collection('things').remove(i + 1);
      }
      expect(store.stats().forgottenKeys).toBe(forgotten);
      expect(
        (await store.collection('things', key(`${count - 1}`)).create({ text })).isReplayed,
      ).toBe(true);
      expect((await store.collection('things', key('0')).create({ text })).isReplayed).toBe(false);
    },
  );
});
