import { operations } from './old.ts';
import { type CollectionDeclaration, collectionOf } from './store/document.ts';

/** The collections of this service. The list operation of each declares its identifier and its filters. */
export const collections = {
  pets: collectionOf('pets', operations.listPets),
} satisfies Record<string, CollectionDeclaration>;

/** All collections as a list, for the stores. */
export const allCollections: readonly CollectionDeclaration[] = Object.values(collections);
