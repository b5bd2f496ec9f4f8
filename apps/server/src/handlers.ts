import { type Api, type Input, operations, type Pet } from '@petstore/types';
import { HttpError } from './http/http-error.ts';
import type { StoredResponse } from './http/response.ts';
import type { CollectionState } from './http/target-cache.ts';
import { MAX_PAGE_BYTES } from './limits.ts';
import { decode } from './store/document.ts';
import type { Awaitable, Collection, ListQuery, Store } from './store/store.ts';

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
  /** Reads pets, and responds with the collection's version from before. An outdated version only costs a repeated read. */
  const read = <T, R>(of: (pets: Collection) => Awaitable<T>, responseOf: (found: T, state: CollectionState) => R) => {
    const collection = store.collection('pets');
    const version = collection.version();
    const found = of(collection);
    const respond = (one: T) => responseOf(one, { collection, version });
    return found instanceof Promise ? found.then(respond) : respond(found);
  };
  return {
    listPets: (input?: Input<'listPets'>): Awaitable<StoredResponse> =>
      read(
        (pets) => pets.list(queryOf(input)),
        (page, state) => ({ json: page.json, version: state.version, page, state }),
      ),

    getPet: ({ petId }: Input<'getPet'>): Awaitable<StoredResponse | undefined> =>
      read(
        (pets) => pets.get(petId),
        (pet, state) => pet && { json: pet.json, version: pet.version, state },
      ),

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
