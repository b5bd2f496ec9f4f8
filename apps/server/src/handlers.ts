// What this service does. This file is the only one about pets.
import { operations, type Schema } from '@petstore/types';
import type { HandlersOver } from './call.ts';
import { HttpError } from './errors.ts';
import type { Declaration } from './store/store.ts';

const { listPets } = operations;
const { limit: limitField, after: afterField } = listPets.fields;
const { items: petSchema } = listPets.responses[200].schema;

/** The collections of this service: the identifier of their documents, the properties that lists can be filtered by, and their schema. */
export const collections = {
  pets: { name: 'pets', id: listPets.pagination.key, filters: ['status'], schema: petSchema },
} satisfies Record<string, Declaration & { schema: Schema }>;

export type Handlers = HandlersOver<typeof collections>;

export const handlers: Handlers = {
  // All other parameters of the list are filters.
  listPets: (
    { limit = limitField.schema.default, after = afterField.schema.minimum, ...filters },
    { pets },
  ) => pets.list({ limit, after, filters }),

  createPet: (pet, { pets }) => pets.create(pet),

  getPet: async ({ petId }, { pets }) =>
    (await pets.get(petId)) ?? notFound(`There is no pet with the identifier ${petId}.`),
};

function notFound(message: string): never {
  throw new HttpError('not_found', message);
}
