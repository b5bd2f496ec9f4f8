import { operations } from '@petstore/types';
import { type CollectionDeclaration, collectionOf } from './store/document.ts';

/** The collections of the library. */
export const collections = {
  books: collectionOf('books', operations.listBooks),
  loans: { name: 'loans', id: 'id', indexes: ['bookId'] },
  covers: { name: 'covers', id: 'id', indexes: ['bookId'] },
} satisfies Record<string, CollectionDeclaration>;

/** All collections as a list, for the stores. */
export const allCollections: readonly CollectionDeclaration[] = Object.values(collections);
