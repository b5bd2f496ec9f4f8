import { type Api, operations, type Pet } from '@petstore/types';
import { Failure } from './http/failure.ts';
import type { Store } from './store/store.ts';

const page = operations.listPets.fields;

/** The operations of the interface. They take what the validator let through and answer plain data. */
export function handlers(store: Store): Api {
  return {
    listPets: ({ limit = page.limit.default, after = page.after.minimum, status } = {}) =>
      store.list({ limit, after, ...(status && { status }) }),

    createPet: (pet) => store.create(pet),

    getPet: ({ petId }) => found(petId),
  };

  async function found(petId: number): Promise<Pet> {
    const pet = await store.get(petId);
    if (!pet) throw new Failure('not_found', `There is no animal with the identifier ${petId}.`);
    return pet;
  }
}
