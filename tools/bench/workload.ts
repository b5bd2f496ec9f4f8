// What is specific to this service: the pets that every server has, and the requests that are measured.
import type { Store } from '@petstore/server';
import { type Input, type NewPet, operations, type Pet, service } from '@petstore/types';

export const { listPets: list, createPet: create, getPet: get } = operations;
export const { basePath } = service;
export const apiKey = 'a-key-that-is-for-the-bench';
export const collection = 'pets';

const statuses = [...list.fields.status.schema.enum, undefined] as const;

/** How many pets every server has. */
export const size = 10_000;

/** The pet of this number without its identifier. */
export function newPet(number: number): NewPet {
  const status = statuses[number % statuses.length];
  return { name: `Rex the ${number}th`, categoryId: number % 50, ...(status && { status }) };
}

export const pets = (): Pet[] => Array.from({ length: size }, (_, i) => ({ id: i + 1, ...newPet(i + 1) }));

/** Adds pets to a store. */
export async function fill(store: Store, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1000) {
    const batch = Array.from({ length: Math.min(1000, count - done) }, (_, i) => newPet(done + i + 1));
    await Promise.all(batch.map((pet) => store.collection(collection).create(pet)));
  }
}

/** The operations over an array, which is scanned: the storage of the servers that ours is compared with. */
export function inArray(all: Pet[]) {
  return {
    getPet: ({ petId }: Input<'getPet'>) => all[petId - 1],
    createPet: (pet: NewPet) => {
      const created = { id: all.length + 1, ...pet };
      all.push(created);
      return created;
    },
    listPets: ({ after = 0, limit = list.fields.limit.schema.default, status }: Input<'listPets'>) => {
      const found: Pet[] = [];
      for (let at = after; at < all.length && found.length < limit; at++) {
        const pet = all[at];
        if (pet && (status === undefined || pet.status === status)) found.push(pet);
      }
      return found;
    },
  };
}

const read = (paths: readonly string[]) => ({ method: 'GET', paths: paths.map((path) => basePath + path), body: '' });
const ids = Array.from({ length: 1000 }, (_, i) => ((i * 7919 + 4711) % size) + 1);

/** The requests of each load, in turn. Creating is last, because it adds pets. */
export const loads = {
  'list 20': read([`${list.path}?limit=20`]),
  'list 100 filtered': read([`${list.path}?limit=100&status=${statuses[0]}`]),
  get: read(ids.map((id) => get.path.replace('{petId}', `${id}`))),
  create: { method: 'POST', paths: [basePath + create.path], body: JSON.stringify(newPet(1234567)) },
} as const;
export type Load = keyof typeof loads;
