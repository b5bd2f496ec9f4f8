import { operations } from '@petstore/types';
import type { Collection, Declaration } from './store/store.ts';

/** The collections of this service: the identifier of their documents, and the properties that lists can be filtered by. */
export const collections = {
  pets: { name: 'pets', id: operations.listPets.pagination.key, filters: ['status'] },
} satisfies Record<string, Declaration>;

/** All collections as a list, for the stores. */
export const declarations: readonly Declaration[] = Object.values(collections);

/** What handlers use: the collections, bound to the idempotency key of the request. */
export type Collections = { readonly [Name in keyof typeof collections]: Collection };
