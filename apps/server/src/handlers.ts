import { type Api, type Input, operations, type Pet } from '@petstore/types';
import { HttpError } from './http/http-error.ts';
import type { StoredResponse } from './http/response.ts';
import { MAX_PAGE_BYTES } from './limits.ts';
import { decode, whenRead } from './store/document.ts';
import type { Awaitable, ListQuery, Store } from './store/store.ts';

const { limit: limitField, after: afterField } = operations.listPets.fields;

/** The operations of the interface. They receive valid input, and return plain data. */
export function handlers(store: Store): Api {
  const pets = () => store.collection('pets');
  return {
    listPets: async (input) => decode<Pet[]>((await pets().list(queryOf(input))).json),

    createPet: async (pet) => decode<Pet>((await pets().create({ ...pet })).json),

    getPet: async ({ petId }) => {
      const pet = await pets().get(petId);
      if (!pet) throw new HttpError('not_found', `There is no pet with the identifier ${petId}.`);
      return decode<Pet>(pet.json);
    },
  };
}

/**
 * Handlers for operations whose result the store has as JSON, which is sent unparsed. If one returns undefined, the handler of
 * the operation is called. They are optional.
 */
export function storedHandlers(store: Store) {
  /** The collection, and its version before a read. If a write makes this version outdated, the next request reads again. */
  const current = () => {
    const collection = store.collection('pets');
    return { collection, version: collection.version() };
  };
  return {
    listPets: (input?: Input<'listPets'>): Awaitable<StoredResponse> => {
      const state = current();
      const page = state.collection.list(queryOf(input));
      return whenRead(page, (page) => ({ json: page.json, version: state.version, page, state }));
    },

    getPet: ({ petId }: Input<'getPet'>): Awaitable<StoredResponse | undefined> => {
      const state = current();
      const pet = state.collection.get(petId);
      return whenRead(pet, (pet) => pet && { json: pet.json, version: pet.version, state });
    },

    createPet: (pet: Input<'createPet'>): Promise<StoredResponse> =>
      store
        .collection('pets')
        .create({ ...pet })
        .then(({ json }) => ({ json })),
  };
}

function queryOf({
  limit = limitField.schema.default,
  after = afterField.schema.minimum,
  status,
}: Input<'listPets'> = {}): ListQuery {
  return { limit, after, maxBytes: MAX_PAGE_BYTES, ...(status && { filter: { property: 'status', value: status } }) };
}
