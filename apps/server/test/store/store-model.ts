import { rounds } from '@petstore/testing';
import { type NewPet, operations, type Pet } from '@petstore/types';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Store } from '../../src/store/store.ts';

export interface Kind {
  /** A new, empty store. */
  open(): Promise<Store>;
  /** The same store again after it was closed, if it outlives that. */
  again?(): Promise<Store>;
}

const statuses = operations.listPets.fields.status.schema.enum;
const { minimum, maximum } = operations.createPet.fields.categoryId.schema;
const anyPet: fc.Arbitrary<NewPet> = fc.record(
  {
    name: fc.string({ unit: 'binary' }).map((name) => name.replaceAll('\0', '')),
    categoryId: fc.integer({ min: minimum, max: maximum }),
    status: fc.constantFrom(...statuses),
  },
  { requiredKeys: ['name', 'categoryId'] },
);

/** Whatever is done to a store, closing and opening it included, it answers as a plain list of animals would. */
export async function likeAPlainList({ open, again }: Kind) {
  const step = fc.oneof(
    fc.array(anyPet, { maxLength: 20 }).map((pets) => ({ pets })),
    fc.record({
      after: fc.nat(60),
      limit: fc.integer({ min: 1, max: 100 }),
      status: fc.constantFrom(undefined, ...statuses),
    }),
    fc.constant('again' as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      let store = await open();
      const kept: Pet[] = [];
      for (const next of steps) {
        if (next === 'again') {
          if (!again) continue;
          await store.close();
          store = await again();
        } else if ('pets' in next) {
          const added = await Promise.all(next.pets.map((pet) => store.create(pet)));
          expect(added.map(({ id: _, ...pet }) => pet)).toEqual(next.pets);
          kept.push(...added);
        } else {
          const { after, limit, status } = next;
          const expected = kept.filter((pet) => pet.id > after && (!status || pet.status === status)).slice(0, limit);
          expect(await store.list({ after, limit, ...(status && { status }) })).toEqual(expected);
        }
      }
      for (const pet of kept) expect(await store.get(pet.id)).toEqual(pet);
      await store.close();
    }),
    { numRuns: rounds(10, 300) },
  );
}
