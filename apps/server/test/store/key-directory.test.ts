import { rounds } from '@petstore/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeyDirectory, type Location } from '../../src/store/lowdb/key-directory.ts';

/** The sizes of leaves: so small that a few changes split or join leaves. */
const sizes = [2, 3, 4, 8, 64];
const id = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 2000 }), fc.maxSafeNat());
const locationOf = (id: number, version: number, kind: number): Location => ({
  id,
  version,
  segment: (version * 7919) % 2 ** 23,
  start: (version * 104_729) % 2 ** 30,
  length: version,
  kind,
});

const set = (directory: KeyDirectory, { id, version, segment, start, length, kind }: Location) =>
  directory.set(id, version, segment, start, length, kind);

type Change = (directory: KeyDirectory, model: Map<number, Location>) => void;
const put = fc.tuple(id, fc.integer({ min: 1, max: 2 ** 31 }), fc.nat(40)).map(([id, version, kind]): Change => {
  const location = locationOf(id, version, kind);
  return (directory, model) => {
    expect(set(directory, location)).toEqual(model.get(id));
    model.set(id, location);
  };
});
const remove = (one: number): Change => {
  return (directory, model) => {
    expect(directory.delete(one)).toEqual(model.get(one));
    model.delete(one);
  };
};
/** Sets or removes many neighbours. */
const run = fc
  .tuple(
    fc.integer({ min: 1, max: 2000 }),
    fc.integer({ min: 1, max: 50 }),
    fc.integer({ min: 1, max: 3 }),
    fc.boolean(),
  )
  .map(([first, count, step, isRemoved]): Change => {
    const ids = Array.from({ length: count }, (_, i) => first + i * step);
    return (directory, model) => {
      for (const one of ids) {
        if (isRemoved) remove(one)(directory, model);
        else {
          set(directory, locationOf(one, 1 + one, one % 3));
          model.set(one, locationOf(one, 1 + one, one % 3));
        }
      }
    };
  });
const changes = fc.array(fc.oneof(put, id.map(remove), run), { minLength: 1, maxLength: 60 });
const query = fc.record({
  after: fc.oneof(fc.constant(0), id),
  kinds: fc.option(fc.uniqueArray(fc.nat(40), { maxLength: 3 }), { nil: undefined }),
  limit: fc.integer({ min: 1, max: 100 }),
});

test('behaves like a map in ascending order', () => {
  fc.assert(
    fc.property(fc.constantFrom(...sizes), changes, fc.array(query), fc.array(id), (size, all, queries, others) => {
      const directory = new KeyDirectory(size);
      const model = new Map<number, Location>();
      for (const [i, change] of all.entries()) {
        change(directory, model);
        const { after, kinds, limit } = queries[i] ?? { after: 0, kinds: undefined, limit: Number.POSITIVE_INFINITY };
        const found: Location[] = [];
        directory.scan(after, kinds, (location) => found.push(location) < limit);
        const expected = [...model.values()]
          .filter((one) => one.id > after && (!kinds || kinds.includes(one.kind)))
          .sort((a, b) => a.id - b.id)
          .slice(0, limit);
        expect(found).toEqual(expected);
        expect(directory.count).toBe(model.size);
      }
      for (const one of [...model.keys(), ...others]) expect(directory.get(one)).toEqual(model.get(one));
    }),
    { numRuns: rounds(150, 20_000) },
  );
});

test('finds and removes an identifier at any position of a full leaf', () => {
  const size = 64;
  const idsOf = (directory: KeyDirectory) => {
    const ids: number[] = [];
    directory.scan(0, undefined, ({ id }) => ids.push(id) > 0);
    return ids;
  };
  const even = Array.from({ length: size }, (_, i) => 2 * (i + 1));
  for (let odd = 1; odd <= 2 * size + 1; odd += 2) {
    const directory = new KeyDirectory(size);
    for (const one of even) set(directory, locationOf(one, 1, 0));
    set(directory, locationOf(odd, 2, 0));
    expect([odd, directory.get(odd)?.version]).toEqual([odd, 2]);
    expect(idsOf(directory)).toEqual([...even, odd].sort((a, b) => a - b));
    directory.delete(odd);
    expect(idsOf(directory)).toEqual(even);
  }
});
