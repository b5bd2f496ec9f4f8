import { isDeepStrictEqual } from 'node:util';
import type { CollectionDeclaration } from '../store/declaration.ts';
import { decode, documentsIn } from '../store/document.ts';
import type { Collection, Properties, Store } from '../store/store.ts';

/** A document of an export, with all of its properties. */
export interface ImportedDocument {
  readonly id: number;
  readonly properties: Properties;
}

/** A document cannot be imported. The store has the documents before it, and none after it. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/** The number of documents so far. */
export interface Imported {
  added: number;
  /** Equal documents that the store already had. */
  known: number;
}

/**
 * Stores documents with their identifiers, in ascending order. Existing documents have to be equal and are never replaced,
 * so an interrupted import can be repeated.
 */
export async function importDocuments(
  store: Store,
  declaration: CollectionDeclaration,
  batches: AsyncIterable<ImportedDocument[]>,
  onProgress: (imported: Imported) => void,
): Promise<Imported> {
  const { name } = declaration;
  const collection = store.collection(name);
  const imported = { added: 0, known: 0 };
  let last = await lastId(collection);
  for await (const batch of batches) {
    const known = batch.filter(({ id }) => id <= last);
    const added = batch.slice(known.length);
    await compare(collection, declaration, known);
    if (added.length > 0 && !(await collection.restore(added.map(({ properties }) => properties))))
      throw new ImportError(
        `The store already used the identifier ${added[0]?.id} of ${name} or a higher one; stop all servers.`,
      );
    last = Math.max(last, added.at(-1)?.id ?? 0);
    imported.known += known.length;
    imported.added += added.length;
    onProgress(imported);
  }
  return imported;
}

/** The highest identifier in a collection, 0 if it is empty. */
async function lastId(collection: Collection): Promise<number> {
  const isBehind = async (id: number) => (await collection.list({ after: id, limit: 1 })).count > 0;
  let [low, high] = [0, 1];
  if (!(await isBehind(0))) return 0;
  while (await isBehind(high)) [low, high] = [high, Math.min(2 * high, Number.MAX_SAFE_INTEGER)];
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (await isBehind(middle)) low = middle;
    else high = middle;
  }
  return high;
}

async function compare(
  collection: Collection,
  { name, id: idProperty }: CollectionDeclaration,
  known: readonly ImportedDocument[],
): Promise<void> {
  for (let at = 0; at < known.length; ) {
    const page = await collection.list({ after: (known[at]?.id ?? 0) - 1, limit: known.length - at });
    const stored = documentsIn(page).map((one) => decode(one));
    const byId = new Map(stored.map((one) => [one[idProperty], one]));
    const reach = page.count > 0 ? page.last : Number.POSITIVE_INFINITY;
    for (let one = known[at]; one && one.id <= reach; one = known[++at]) {
      const other = byId.get(one.id);
      if (other === undefined)
        throw new ImportError(
          `The store has no document ${one.id} in ${name}, but later ones; import into an empty store.`,
        );
      if (!isDeepStrictEqual({ ...other }, { ...one.properties }))
        throw new ImportError(
          `The document ${one.id} of ${name} differs from the stored one; an import never replaces documents.`,
        );
    }
  }
}
