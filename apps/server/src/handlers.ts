import { type Api, type Input, operations, type Pet } from '@petstore/types';
import { HttpError } from './http/http-error.ts';
import { MAX_PAGE_BYTES } from './limits.ts';
import type { Kept, KeptAnimals, Page, Store } from './store/store.ts';

const page = operations.listPets.fields;

/** The operations of the interface. They take what the validator let through and answer plain data. */
export function handlers(store: Store): Api {
  return {
    listPets: (input) => store.list(pageOf(input)),

    createPet: (pet) => store.create(pet),

    getPet: ({ petId }) => found(petId),
  };

  async function found(petId: number): Promise<Pet> {
    const pet = await store.get(petId);
    if (!pet) throw new HttpError('not_found', `There is no animal with the identifier ${petId}.`);
    return pet;
  }
}

/**
 * Short cuts for operations whose result the store keeps as JSON. They answer what the handler would, or nothing: then the
 * handler is asked. An operation needs none.
 */
export function shortCuts(kept: Kept) {
  return {
    listPets: (input?: Input<'listPets'>): KeptAnimals => kept.list(pageOf(input)),

    getPet: ({ petId }: Input<'getPet'>): KeptAnimals | undefined => kept.get(petId),
  };
}

function pageOf({
  limit = page.limit.schema.default,
  after = page.after.schema.minimum,
  status,
}: Input<'listPets'> = {}): Page {
  return { limit, after, maxBytes: MAX_PAGE_BYTES, ...(status && { status }) };
}
