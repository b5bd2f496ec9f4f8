import { type NewPet, operations, type Pet } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { type Kind, likeAPlainList } from './store-model.ts';

const statuses = operations.listPets.fields.status.schema.enum;
/** The promises of the port, whoever keeps them. */
export function storeSuite({ open, again }: Kind) {
  const using = async (work: (store: Store) => Promise<void>) => {
    const store = await open();
    try {
      await work(store);
    } finally {
      await store.close();
    }
  };

  describe('create', () => {
    test('answers the animal with an identifier that grows', () =>
      using(async (store) => {
        const first = await store.create({ name: 'Rex', categoryId: 2, status: 'available' });
        const second = await store.create({ name: 'Tom', categoryId: 1 });
        expect(first).toEqual({ id: first.id, name: 'Rex', categoryId: 2, status: 'available' });
        expect(second).toEqual({ id: second.id, name: 'Tom', categoryId: 1 });
        expect(second.id).toBeGreaterThan(first.id);
      }));

    test('gives each of many at once an identifier of its own', () =>
      using(async (store) => {
        const added = await addMany(store, 2500);
        expect(new Set(added.map(({ id }) => id)).size).toBe(2500);
        expect(await store.list({ after: 0, limit: 5000 })).toEqual(added.toSorted((a, b) => a.id - b.id));
      }));

    test('keeps an animal of a megabyte', () =>
      using(async (store) => {
        const pet = await store.create({ name: '猫'.repeat(350_000), categoryId: 1, status: 'sold' });
        expect(await store.get(pet.id)).toEqual(pet);
        expect(await store.list({ after: 0, limit: 1, status: 'sold' })).toEqual([pet]);
      }));
  });

  describe('get', () => {
    test.each([0, -1, 1, Number.MAX_SAFE_INTEGER])('finds no animal %d in an empty store', (id) =>
      using(async (store) => expect(await store.get(id)).toBeUndefined()),
    );

    test('finds each animal, and none behind the last', () =>
      using(async (store) => {
        const added = await addMany(store, 1001);
        for (const pet of added) expect(await store.get(pet.id)).toEqual(pet);
        expect(await store.get(Math.max(...added.map(({ id }) => id)) + 1)).toBeUndefined();
      }));
  });

  describe('list', () => {
    test('answers nothing from an empty store', () =>
      using(async (store) => {
        expect(await store.list({ after: 0, limit: 100 })).toEqual([]);
        expect(await store.list({ after: 0, limit: 100, status: 'sold' })).toEqual([]);
      }));

    test('finds the one that matches among thousands', () =>
      using(async (store) => {
        await addMany(store, 1500, { name: 'x', categoryId: 1, status: 'pending' });
        const sold = await store.create({ name: 'x', categoryId: 1, status: 'sold' });
        await addMany(store, 1500, { name: '","status":"sold"}', categoryId: 1 });
        expect(await store.list({ after: 0, limit: 100, status: 'sold' })).toEqual([sold]);
        expect(await store.list({ after: sold.id - 1, limit: 1, status: 'sold' })).toEqual([sold]);
        expect(await store.list({ after: sold.id, limit: 100, status: 'sold' })).toEqual([]);
      }));

    test('answers nothing behind the last animal', () =>
      using(async (store) => {
        await addMany(store, 2);
        expect(await store.list({ after: Number.MAX_SAFE_INTEGER, limit: 100 })).toEqual([]);
        expect(await store.list({ after: Number.MAX_SAFE_INTEGER, limit: 100, status: 'sold' })).toEqual([]);
      }));
  });

  test('shows an animal by the time it is answered, while others are being added', () =>
    using(async (store) => {
      const rest = addMany(store, 200);
      for (let i = 0; i < 20; i++) {
        const pet = await store.create({ name: 'Rex', categoryId: i, status: 'sold' });
        expect(await store.get(pet.id)).toEqual(pet);
        expect(await store.list({ after: pet.id - 1, limit: 1, status: 'sold' })).toEqual([pet]);
      }
      await rest;
    }));

  test('does what a plain list of animals would do, whatever comes', () =>
    likeAPlainList({ open, ...(again && { again }) }));

  test('is ready', () => using(async (store) => expect(await store.ready()).toBe(true)));
}

export function addMany(store: Store, count: number, pet?: NewPet): Promise<Pet[]> {
  const choices = [...statuses, undefined];
  return Promise.all(
    Array.from({ length: count }, (_, i) => {
      const status = choices[i % choices.length];
      return store.create(pet ?? { name: `pet ${i}`, categoryId: i, ...(status && { status }) });
    }),
  );
}
