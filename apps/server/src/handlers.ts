import { type Input, type OperationId, operations, type Result } from '@petstore/types';
import type { Collections } from './collections.ts';
import { HttpError } from './errors.ts';
import type { Awaitable, Page, Stored } from './store/store.ts';

/** A function for each operation, which gets valid input. It returns a document or a page of a collection, or a plain value. */
export type Handlers = {
  readonly [Id in OperationId]: (
    input: Input<Id>,
    store: Collections,
  ) => Awaitable<Stored | Page | Result<Id> | undefined>;
};

const { limit: limitField, after: afterField } = operations.listPets.fields;

export const handlers: Handlers = {
  listPets: ({ limit = limitField.schema.default, after = afterField.schema.minimum, status }, { pets }) =>
    pets.list({ limit, after, ...(status && { filter: { property: 'status', value: status } }) }),

  createPet: (pet, { pets }) => pets.create(pet),

  getPet: async ({ petId }, { pets }) =>
    (await pets.get(petId)) ?? notFound(`There is no pet with the identifier ${petId}.`),
};

function notFound(message: string): never {
  throw new HttpError('not_found', message);
}
