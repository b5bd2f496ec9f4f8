import { rounds } from '@petstore/testing';
import { describeOnDatabase } from '@petstore/testing/postgres';
import { type Api, type NewPet, operations, type Pet } from '@petstore/types';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { handlers } from '../../src/handlers.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import type { Store } from '../../src/store/store.ts';

const statuses = [...operations.listPets.fields.status.schema.enum, undefined];

// Until the store keeps any documents, it is held to the promises that it makes for pets.
describeOnDatabase('the PostgreSQL store', (newDatabase) => {
  async function open(): Promise<{ store: Store; api: Api }> {
    const store = await openPostgresStore(await newDatabase());
    onTestFinished(() => store.close());
    return { store, api: handlers(store) };
  }

  function addMany(api: Api, count: number, pet?: NewPet): Promise<Pet[]> {
    return Promise.all(
      Array.from({ length: count }, (_, i) => {
        const status = statuses[i % statuses.length];
        return api.createPet(pet ?? { name: `pet ${i}`, categoryId: i, ...(status && { status }) });
      }),
    );
  }

  test('gives each of many at once an identifier of its own, and finds each', async () => {
    const { api } = await open();
    const added = (await addMany(api, 250)).toSorted((a, b) => a.id - b.id);
    expect(new Set(added.map(({ id }) => id)).size).toBe(250);
    const listed: Pet[] = [];
    for (let page = await api.listPets({ limit: 100 }); page.length > 0; ) {
      listed.push(...page);
      page = await api.listPets({ limit: 100, after: page.at(-1)?.id ?? 0 });
    }
    expect(listed).toEqual(added);
    for (const pet of added) expect(await api.getPet({ petId: pet.id })).toEqual(pet);
    await expect(api.getPet({ petId: (added.at(-1)?.id ?? 0) + 1 })).rejects.toThrow('no');
  });

  test('stores a pet of a megabyte', async () => {
    const { api } = await open();
    const pet = await api.createPet({ name: '猫'.repeat(350_000), categoryId: 1, status: 'sold' });
    expect(await api.getPet({ petId: pet.id })).toEqual(pet);
    expect(await api.listPets({ limit: 1, status: 'sold' })).toEqual([pet]);
  });

  test('finds the one that matches among thousands, and nothing behind the last', async () => {
    const { api } = await open();
    await addMany(api, 1500, { name: 'x', categoryId: 1, status: 'pending' });
    const sold = await api.createPet({ name: 'x', categoryId: 1, status: 'sold' });
    await addMany(api, 1500, { name: '","status":"sold"}', categoryId: 1 });
    expect(await api.listPets({ limit: 100, status: 'sold' })).toEqual([sold]);
    expect(await api.listPets({ after: sold.id - 1, limit: 1, status: 'sold' })).toEqual([sold]);
    expect(await api.listPets({ after: sold.id, limit: 100, status: 'sold' })).toEqual([]);
    expect(await api.listPets({ after: Number.MAX_SAFE_INTEGER, limit: 100 })).toEqual([]);
  });

  test('shows a pet by the time it is acknowledged, while others are being added', async () => {
    const { api } = await open();
    const rest = addMany(api, 200);
    for (let i = 0; i < 20; i++) {
      const pet = await api.createPet({ name: 'Rex', categoryId: i, status: 'sold' });
      expect(await api.getPet({ petId: pet.id })).toEqual(pet);
      expect(await api.listPets({ after: pet.id - 1, limit: 1, status: 'sold' })).toEqual([pet]);
    }
    await rest;
  });

  test('answers pages as a plain list would, whatever is asked', async () => {
    const { api } = await open();
    const added = (await addMany(api, 60)).toSorted((a, b) => a.id - b.id);
    const query = fc.record({
      after: fc.integer({ min: 0, max: 70 }),
      limit: fc.integer({ min: 1, max: 100 }),
      status: fc.constantFrom(...statuses),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ after, limit, status }) => {
        const expected = added.filter((pet) => pet.id > after && (status === undefined || pet.status === status));
        expect(await api.listPets({ after, limit, ...(status && { status }) })).toEqual(expected.slice(0, limit));
      }),
      { numRuns: rounds(50, 1000) },
    );
  });

  test('is ready', async () => {
    const { store } = await open();
    expect(await store.ready()).toBe(true);
  });

  test('commits together what arrives together, and reports it', async () => {
    const commits: number[] = [];
    const store = await openPostgresStore(await newDatabase(), { onCommit: ({ writes }) => commits.push(writes) });
    onTestFinished(() => store.close());
    await addMany(handlers(store), 64);
    await addMany(handlers(store), 1);
    expect(commits).toEqual([64, 1]);
  });
});
