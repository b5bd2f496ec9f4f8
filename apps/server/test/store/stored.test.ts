import { describe, expect, test, vi } from 'vitest';
import { handlers } from '../../src/handlers.ts';
import { memoryStore } from '../../src/store/memory.ts';
import type { Properties } from '../../src/store/store.ts';
import { apiOf, type HandlerResult, type Handlers, Stored, stored, WithHeaders } from '../../src/store/stored.ts';
import { withFunctions } from '../listen.ts';

const rex = { name: 'Rex', categoryId: 2n ** 60n };

describe('a handler that returns what is stored', () => {
  test('returns no promise if the document is in memory', async () => {
    const { createPet, listPets, getPet } = handlers(memoryStore());
    await createPet(rex);
    for (const result of [listPets(), getPet({ petId: 1 })]) expect(result).toBeInstanceOf(Stored);
  });

  test('reads the store once, also for a document that is missing', async () => {
    const get = vi.fn(() => undefined);
    expect(() => handlers(withFunctions(memoryStore(), { get })).getPet({ petId: 7 })).toThrow('identifier 7');
    const getLater = vi.fn(async () => undefined);
    const later = handlers(withFunctions(memoryStore(), { get: getLater })).getPet({ petId: 7 });
    await expect(later).rejects.toMatchObject({ status: 404 });
    expect([get.mock.calls, getLater.mock.calls]).toEqual([[[7]], [[7]]]);
  });

  test('returns plain data as an `Api`', async () => {
    const api = apiOf(handlers(memoryStore()));
    const pet = { id: 1, ...rex };
    expect([await api.createPet(rex), await api.getPet({ petId: 1 })]).toEqual([pet, pet]);
    expect(await api.listPets()).toEqual([pet]);
    await expect(api.getPet({ petId: 2 })).rejects.toMatchObject({ status: 404 });
  });
});

test('the compiler rejects handlers that do not implement the operations', () => {
  const store = memoryStore();
  const pets = store.collection('pets');
  const { listPets, ...others } = handlers(store);
  const rejected: Partial<Handlers>[] = [
    // @ts-expect-error A handler is missing.
    others satisfies Handlers,
    // @ts-expect-error There is no such operation.
    { feedPet: () => undefined },
    // @ts-expect-error The data lack a property.
    { getPet: () => ({ id: 1, name: 'Rex' }) },
    // @ts-expect-error A page is no document.
    { getPet: () => stored(pets, (pets) => pets.list({ after: 0, limit: 1 })) },
    // @ts-expect-error A document is no page.
    { listPets: () => stored(pets, (pets) => pets.create(rex)) },
    // @ts-expect-error The document may be missing.
    { getPet: ({ petId }) => stored(pets, (pets) => pets.get(petId)) },
    // @ts-expect-error The document has another type.
    { getPet: () => stored<{ title: string }>(pets, (pets) => pets.create(rex)) },
    // @ts-expect-error The data with headers lack a property.
    { getPet: () => new WithHeaders({ id: 1, name: 'Rex' }, {}) },
    // @ts-expect-error Requests with the same URL share their input.
    { getPet: (input) => stored(pets, (pets) => pets.create({ ...rex, last: input.petId++ })) },
  ];
  const accepted = {
    createPet: async (pet) => new WithHeaders(await stored(pets, (pets) => pets.create({ ...pet })), { Location: '/' }),
    listPets: () => new WithHeaders([], {}),
  } satisfies Partial<Handlers>;
  expect([rejected.length, Object.keys(accepted).length]).toEqual([9, 2]);
});

test('the compiler rejects a stored document as the result of an operation with several successes', async () => {
  const document = await stored<WithStatus>(memoryStore().collection('pets'), (pets) => pets.create(rex));
  const accepted: HandlerResult<WithStatus, readonly ['200']> = document;
  // @ts-expect-error The document does not say which success it is.
  const rejected: HandlerResult<WithStatus, readonly ['200', '201']> = document;
  expect([accepted, rejected]).toEqual([document, document]);
});

interface WithStatus extends Properties {
  status: 200 | 201;
  data: unknown;
}
