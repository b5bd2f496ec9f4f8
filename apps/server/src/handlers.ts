import { type Api, type Input, operations, type Pet } from '@petstore/types';
import { HttpError } from './http/http-error.ts';
import type { StoredResponse } from './http/response.ts';
import { MAX_PAGE_BYTES } from './limits.ts';
import { decode } from './store/document.ts';
import type { Awaitable, Document, ListQuery, Page, Store } from './store/store.ts';

const { limit: limitField, after: afterField } = operations.listPets.fields;

/** The operations of the interface. They take input that the validator accepted, and return plain data. */
export function handlers(store: Store): Api {
  const pets = () => store.collection('pets');
  return {
    listPets: async (input) => decode<Pet[]>((await pets().list(queryOf(input))).json),

    createPet: async (pet) => {
      const { id, json, isReplayed } = await pets().create({ ...pet });
      return isReplayed ? decode<Pet>(json) : { id, ...pet };
    },

    getPet: async ({ petId }) => {
      const pet = await pets().get(petId);
      if (!pet) throw new HttpError('not_found', `There is no pet with the identifier ${petId}.`);
      return decode<Pet>(pet.json);
    },
  };
}

/**
 * Handlers for operations whose result the store has as JSON, which goes to the socket unparsed. They return what the
 * handler would, or nothing: then the handler is called. An operation needs none.
 */
export function storedHandlers(store: Store) {
  const pets = () => store.collection('pets');
  const ofPage = (page: Page): StoredResponse => ({ json: page.json, version: pets().version(), page });
  const ofDocument = (document: Document | undefined): StoredResponse | undefined =>
    document && { json: document.json, version: document.version };
  return {
    listPets: (input?: Input<'listPets'>): Awaitable<StoredResponse> => {
      // Taken first: a version that is too old only costs a repetition.
      const version = pets().version();
      const page = pets().list(queryOf(input));
      return page instanceof Promise
        ? page.then((found) => ({ ...ofPage(found), version }))
        : { ...ofPage(page), version };
    },

    getPet: ({ petId }: Input<'getPet'>): Awaitable<StoredResponse | undefined> => {
      const found = pets().get(petId);
      return found instanceof Promise ? found.then(ofDocument) : ofDocument(found);
    },
  };
}

function queryOf({
  limit = limitField.schema.default,
  after = afterField.schema.minimum,
  status,
}: Input<'listPets'> = {}): ListQuery {
  return { limit, after, maxBytes: MAX_PAGE_BYTES, ...(status && { filter: { property: 'status', value: status } }) };
}
