import { rounds } from '@petstore/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IdempotencyKeys } from '../../src/store/idempotency.ts';
import { IDEMPOTENCY_MS } from '../../src/store/store.ts';

/** A model of the table: a list of keys. */
class Model {
  entries: { key: string; group: number; time: number }[] = [];
  forgotten = 0;
  readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  last(key: string) {
    return this.entries.findLast((entry) => entry.key === key);
  }

  get keys() {
    return new Set(this.entries.map(({ key }) => key)).size;
  }

  sweep(count: number, now: number): number[] {
    const groups: number[] = [];
    for (let [first] = this.entries; first && groups.length < count; [first] = this.entries) {
      const { group, time } = first;
      if (now - time < IDEMPOTENCY_MS && this.keys <= this.max) break;
      while (this.entries[0]?.group === group) {
        const entry = this.entries[0];
        if (this.last(entry.key) === entry && now - entry.time < IDEMPOTENCY_MS) this.forgotten++;
        this.entries.shift();
      }
      groups.push(group);
    }
    return groups;
  }
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      keys: fc.array(
        fc.nat(400).map((n) => `key ${n}`),
        { minLength: 1, maxLength: 40 },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ sweep: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ pass: fc.integer({ min: -IDEMPOTENCY_MS / 8, max: IDEMPOTENCY_MS / 2 }) }) },
);

test('the table of keys behaves like a list', () => {
  const property = fc.property(fc.nat(300), fc.array(step, { maxLength: 150 }), (max, steps) => {
    let now = IDEMPOTENCY_MS * 10;
    let group = 0;
    const [table, model] = [new IdempotencyKeys(max, () => now), new Model(max)];
    for (const one of steps) {
      if ('pass' in one) now += one.pass;
      else if ('sweep' in one) expect(table.sweep(one.sweep)).toEqual(model.sweep(one.sweep, now));
      else {
        group++;
        for (const key of new Set(one.keys)) {
          table.set(key, group);
          model.entries.push({ key, group, time: now });
        }
      }
      expect(table.state).toEqual({ keys: model.keys, forgotten: model.forgotten });
      for (let n = 0; n <= 400; n += 7) {
        const found = model.last(`key ${n}`);
        const isFresh = found && now - found.time < IDEMPOTENCY_MS;
        expect(table.get(`key ${n}`)).toBe(isFresh ? found.group : undefined);
      }
    }
  });
  fc.assert(property, { numRuns: rounds(60, 2000) });
});

test('the table of keys grows and wraps around, and finds each key', () => {
  const table = new IdempotencyKeys(5_000);
  for (let i = 0; i < 40_000; i++) {
    table.set(`key ${i}`, i);
    table.sweep(2);
    if (i % 997 === 0) for (let k = Math.max(0, i - 4_999); k <= i; k++) expect(table.get(`key ${k}`)).toBe(k);
  }
  expect(table.state).toEqual({ keys: 5_000, forgotten: 35_000 });
  expect(table.get('key 34999')).toBeUndefined();
});
