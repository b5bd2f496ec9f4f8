import { parseExact } from '@petstore/types';
import { openLowdbStore } from '../../src/store/lowdb.ts';
import { openPostgresStore } from '../../src/store/postgres.ts';
import type { Collection, Declaration, Store } from '../../src/store/store.ts';

/** Collections of the tests' own, because nothing in the stores is about pets. */
export const things: Declaration = { name: 'things', id: 'key', filters: ['color', 'size'] };
export const others: Declaration = { name: 'others', id: 'id', filters: [] };

const isDatabase = (place: string) => place.startsWith('postgres:');

/** Opens the store with both collections in a folder or a database. In a folder it folds often. */
export function open(place: string, clock?: () => number): Promise<Store> {
  const declarations = [things, others];
  if (isDatabase(place)) return openPostgresStore(place, declarations, { clock });
  return openLowdbStore(place, declarations, { fold: 20_000, clock });
}

export type Document = Record<string, unknown>;

/** All documents of a collection, page by page. */
export async function everything(collection: Collection, limit = 1000): Promise<Document[]> {
  const found: Document[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { json, next } = await collection.list({ after, limit });
    for (const document of parseExact(json) as Document[]) found.push(document);
    after = next;
  }
  return found;
}

/** The parsed document of a result. */
export function parsed(stored: { json: string } | undefined): Document | undefined {
  return stored && (parseExact(stored.json) as Document);
}

export const key = (name: string, fingerprint = 'same', caller = 'me') => ({
  caller,
  key: name,
  fingerprint,
  status: 201,
});
