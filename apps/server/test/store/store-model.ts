import { exactJson } from '@petstore/types';
import fc from 'fast-check';
import { expect } from 'vitest';
import { decodeText } from '../../src/store/document.ts';
import type { Properties } from '../../src/store/store.ts';
import { contentOf, contents } from './store-contents.ts';
import { type StoreFixture, things } from './store-fixture.ts';

const colors = ['red', 'green', '猫', 'quoted"\\', 1, null, true];
const anyProperties: fc.Arbitrary<Properties> = fc.record(
  {
    color: fc.constantFrom(...colors),
    size: fc.integer({ min: 0, max: 2 }),
    text: fc.string({ unit: 'binary', maxLength: 300 }),
    any: fc.jsonValue({ maxDepth: 2 }).map((value) => decodeText(exactJson({ value })).value),
  },
  { requiredKeys: [] },
);

type Step =
  | { create: Properties[] }
  | { replace: [index: number, properties: Properties, isCurrent: boolean][] }
  | { remove: [index: number, isCurrent: boolean][] }
  | { after: number; limit: number; color: unknown }
  | 'reopen';

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ create: fc.array(anyProperties, { maxLength: 20 }) }),
  fc.record({ replace: fc.array(fc.tuple(fc.nat(99), anyProperties, fc.boolean()), { maxLength: 20 }) }),
  fc.record({ remove: fc.array(fc.tuple(fc.nat(99), fc.boolean()), { maxLength: 8 }) }),
  fc.record({
    after: fc.nat(60),
    limit: fc.integer({ min: 1, max: 100 }),
    color: fc.constantFrom(undefined, ...colors),
  }),
  fc.constant('reopen' as const),
);

/** Checks that a store behaves like a map of documents in any sequence of operations, including closing and opening. */
export async function likeAMap({ open, reopen, runs: numRuns = 60 }: StoreFixture) {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      let store = await open([things]);
      let collection = store.collection('things');
      const model = new Map<number, { properties: Properties; version: string }>();
      const stale = '0';
      const nth = (index: number) => [...model.keys()][index % Math.max(1, model.size)] ?? 12_345;
      try {
        for (const next of steps) {
          if (next === 'reopen') {
            if (!reopen) continue;
            await store.close();
            store = await reopen([things]);
            collection = store.collection('things');
          } else if ('create' in next) {
            const added = await Promise.all(next.create.map((one) => collection.create(one)));
            for (const [i, { id, version }] of added.entries()) {
              expect(id).toBeGreaterThan(Math.max(0, ...model.keys()));
              model.set(id, { properties: next.create[i] ?? {}, version });
            }
          } else if ('replace' in next) {
            // One after the other, because concurrent writes to one document may be done in any order.
            for (const [index, properties, isCurrent] of next.replace) {
              const id = nth(index);
              const known = model.get(id);
              const ifVersion = isCurrent ? (known?.version ?? stale) : stale;
              const result = await collection.replace(id, properties, index % 3 === 0 ? {} : { ifVersion });
              const isDone = known && (index % 3 === 0 || isCurrent);
              expect(result.outcome).toBe(isDone ? 'stored' : known ? 'conflict' : 'missing');
              if (result.outcome === 'stored') model.set(id, { properties, version: result.version });
            }
          } else if ('remove' in next) {
            for (const [index, isCurrent] of next.remove) {
              const id = nth(index);
              const known = model.get(id);
              const { outcome } = await collection.remove(id, {
                ifVersion: isCurrent ? (known?.version ?? stale) : stale,
              });
              expect(outcome).toBe(known && isCurrent ? 'removed' : known ? 'conflict' : 'missing');
              if (outcome === 'removed') model.delete(id);
            }
          } else {
            const { after, limit, color } = next;
            const expected = [...model]
              .filter(
                ([id, { properties }]) => id > after && (color === undefined || (properties.color ?? null) === color),
              )
              .slice(0, limit)
              .map(([id, { properties }]) => ({ key: id, ...properties }));
            const filter = color === undefined ? {} : { filter: { property: 'color', value: color } };
            expect(await contents(collection, { after, limit, ...filter })).toEqual(expected);
          }
        }
        for (const [id, { properties, version }] of model) {
          expect(await contentOf(collection, id)).toEqual({ key: id, ...properties });
          expect((await collection.get(id))?.version).toBe(version);
        }
      } finally {
        await store.close();
      }
    }),
    { numRuns },
  );
}
