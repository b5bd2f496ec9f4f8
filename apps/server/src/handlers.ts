import { type Input, type OperationId, operations, type Result } from '@petstore/types';
import { HttpError } from './errors.ts';
import type {
  Awaitable,
  Collection,
  Declaration,
  StoredDocument,
  StoredPage,
} from './store/store.ts';

const { listPets } = operations;
const { limit: limitField, after: afterField } = listPets.fields;

/** The collections of this service: the identifier of their documents, and the properties that lists can be filtered by. */
export const collections = {
  pets: { name: 'pets', id: listPets.pagination.key, filters: ['status'] },
} satisfies Record<string, Declaration>;

/** What handlers use: the collections, bound to the idempotency key of the request. */
export type Collections = { readonly [Name in keyof typeof collections]: Collection };

/** A function for each operation, which gets valid input. It returns a document or a page of a collection, or a plain value. */
export type Handlers = {
  readonly [Id in OperationId]: (
    input: Input<Id>,
    store: Collections,
  ) => Awaitable<StoredDocument | StoredPage | Result<Id> | undefined>;
};

export const handlers: Handlers = {
  listPets: (
    { limit = limitField.schema.default, after = afterField.schema.minimum, status },
    { pets },
  ) => pets.list({ limit, after, ...(status && { filters: { status } }) }),

  createPet: (pet, { pets }) => pets.create(pet),

  getPet: async ({ petId }, { pets }) =>
    (await pets.get(petId)) ?? notFound(`There is no pet with the identifier ${petId}.`),
};

function notFound(message: string): never {
  throw new HttpError('not_found', message);
}
