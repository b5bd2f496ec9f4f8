import { operations } from '@petstore/types';
import { type CollectionDeclaration, collectionOf } from './store/document.ts';

/** The collections of this service: one for each list of the spec, filtered by the properties the list can filter by. */
export const collections = {
  pets: collectionOf('pets', operations.listPets),
} satisfies Record<string, CollectionDeclaration>;

/** All of them, as a store takes them. */
export const allCollections: readonly CollectionDeclaration[] = Object.values(collections);
