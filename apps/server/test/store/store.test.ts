import { newFolder, rounds } from '@petstore/testing';
import { exactJson } from '@petstore/types';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createStore } from '../../src/store/create-store.ts';
import { Memory } from '../../src/store/memory.ts';
import {
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

/** How a suite gets stores: a new place, and the store in a place, which may have been used before. */
interface Fixture {
  newPlace(): Promise<string>;
  open(place: string): Promise<Store>;
  /** Whether a store keeps its documents when it is closed. */
  keeps: boolean;
  runs: number;
}

describe('memory', () =>
  suite({
    newPlace: async () => '',
    open: async () => createStore([things, others], new Memory([things, others])),
    keeps: false,
    runs: rounds(100, 1000),
  }));

describe('lowdb', () =>
  suite({ newPlace: async () => newFolder(), open, keeps: true, runs: rounds(30, 300) }));

describeOnSchema('PostgreSQL', (newSchema) =>
  suite({ newPlace: newSchema, open, keeps: true, runs: rounds(10, 100) }),
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
    let store = await fixture.open(place);
    const { json } = await store.collection('things').create(document);
    expect(json.startsWith('{"key":1')).toBe(true);
    expect(parsed({ json })).toEqual({ key: 1, ...document });
    await store.collection('things').create({ color: 'other' });
    for (let round = 0; round < 2; round++) {
      const collection = store.collection('things');
      expect((await collection.get(1))?.json).toBe(json);
      const filters = document.color ? { color: String(document.color) } : undefined;
      const page = await collection.list({ after: 0, limit: 1, ...(filters && { filters }) });
      expect(page.json).toBe(`[${json}]`);
      expect(page.next).toBe(filters ? undefined : 1);
      if (!fixture.keeps) break;
      await store.close();
      store = await fixture.open(place);
    }
    await store.close();
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
      await store.restore('things', documents, 12);
      await store.restore('things', documents, 12);
      expect(await everything(collection)).toEqual([...documents.values()]);
      expect(await store.nextId('things')).toBe(12);
      const filters = { color: 'red' };
      expect(await collection.list({ after: 0, limit: 9, filters })).toEqual(
        new StoredPage(`[${exactJson(documents.get(7))}]`),
      );
      await expect(store.restore('things', new Map([[3, { a: 2 }]]), 4)).rejects.toThrow(
        StoreError,
      );
      expect(parsed(await collection.get(3))).toEqual({ key: 3, a: 1 });
      expect(parsed(await collection.create({}))).toEqual({ key: 12 });
    }),
  );

  test(
    'no identifier is beyond the last safe integer',
    usingThings(async (collection, store) => {
      await store.restore(
        'things',
        new Map([[Number.MAX_SAFE_INTEGER - 1, {}]]),
        Number.MAX_SAFE_INTEGER,
      );
      await expect(async () => collection.create({})).rejects.toThrow(UnavailableError);
    }),
  );

  test('behaves as a map, with restarts', async () => {
    const document = fc.record(
      {
        color: fc.constantFrom('red', 'blue', 'a\0', ''),
        size: fc.integer({ min: 0, max: 2 }),
        text: fc.string(),
      },
      { requiredKeys: [] },
    );
    const id = fc.integer({ min: 1, max: 12 });
    const name = fc.option(fc.constantFrom('k1', 'k2', 'k3'), { nil: undefined });
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), document, name }) },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant('replace' as const), id, document, name }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), id, name }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('list' as const),
          after: fc.integer({ min: 0, max: 12 }),
          limit: fc.integer({ min: 1, max: 5 }),
          color: fc.option(fc.constantFrom('red', 'blue', 'a\0', 'none'), { nil: undefined }),
        }),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const place = await fixture.newPlace();
        let store = await fixture.open(place);
        const model = new Map<number, Document>();
        const results = new Map<string, Document>();
        let nextId = 1;
        for (const [number, one] of steps.entries()) {
          if (one.kind === 'restart') {
            if (!fixture.keeps) continue;
            await store.close();
            store = await fixture.open(place);
          } else if (one.kind === 'list') {
            const { color, after, limit } = one;
            const filters = color === undefined ? {} : { color };
            const page = await store.collection('things').list({ after, limit, filters });
            const matching = [...model.values()]
              .filter((document) => color === undefined || document.color === color)
              .filter((document) => Number(document.key) > after)
              .sort((a, b) => Number(a.key) - Number(b.key));
            const expected = matching.slice(0, limit);
            expect(JSON.parse(page.json)).toEqual(expected);
            expect(page.next).toBe(matching.length > limit ? expected.at(-1)?.key : undefined);
          } else {
            // A name stands for one request: the first that used it.
            const request = one.name && `${one.name} ${one.kind} ${'id' in one ? one.id : ''}`;
            const collection = store.collection('things', request ? key(request) : undefined);
            const fields = 'document' in one ? { ...one.document, number } : {};
            const before = 'id' in one ? model.get(one.id) : undefined;
            const replayed = request ? results.get(request) : undefined;
            const isDone = !replayed && (one.kind === 'create' || before);
            const at = one.kind === 'create' ? nextId : one.id;
            const result =
              one.kind === 'create'
                ? await collection.create(fields)
                : one.kind === 'replace'
                  ? await collection.replace(one.id, fields)
                  : await collection.remove(one.id);
            const expected =
              replayed ??
              (isDone ? (one.kind === 'remove' ? before : { key: at, ...fields }) : undefined);
            expect(parsed(result)).toEqual(expected);
            expect(result?.isReplayed ?? false).toBe(replayed !== undefined);
            if (isDone && request && expected) results.set(request, expected);
            if (isDone && one.kind === 'remove') model.delete(one.id);
            else if (isDone && expected) model.set(at, expected);
            if (isDone && one.kind === 'create') nextId++;
          }
        }
        const all = [...model.values()].sort((a, b) => Number(a.key) - Number(b.key));
        expect(await everything(store.collection('things'), 3)).toEqual(all);
        expect(await store.nextId('things')).toBe(nextId);
        await store.close();
      }),
      { numRuns: fixture.runs },
    );
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

describe('idempotency keys in memory', () => {
  test('are forgotten after 24 hours, which does not count', async () => {
    let now = 0;
    const store = createStore([things], new Memory([things], undefined, () => now));
    const create = () => store.collection('things', key('k')).create({});
    await create();
    now = KEYS.milliseconds - 1;
    expect((await create()).isReplayed).toBe(true);
    now = KEYS.milliseconds;
    expect(await store.replay(key('k'))).toBeUndefined();
    expect(parsed(await create())).toEqual({ key: 2 });
    expect(store.stats().forgottenKeys).toBe(0);
  });

  test.for([
    ['number', KEYS.count + 10, 1, 10],
    ['size', 70, 2 ** 20, 7],
  ] as const)(
    'beyond a %s the oldest are forgotten and counted',
    async ([, count, length, forgotten]) => {
      const store = createStore([things], new Memory([things]));
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
