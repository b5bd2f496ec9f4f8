import { isDeepStrictEqual } from 'node:util';
import { decode, documentsIn } from '../store/document.ts';
import type { Collection, Properties, Store } from '../store/store.ts';

/** An animal with all of its properties. */
export type ImportedPet = Properties & { readonly id: number };

/** Animals cannot be brought in. Those before the one that is named are in the store; the rest is left out. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/** How far it has come. */
export interface Imported {
  added: number;
  /** Those that had been in the store before, the same. */
  known: number;
}

/**
 * Brings animals that come in ascending order into a store, under the identifiers they have. What is there already has to
 * be the same, so that doing it again after an interruption does the rest, and nothing is ever replaced.
 */
export async function importAnimals(
  store: Store,
  batches: AsyncIterable<ImportedPet[]>,
  onProgress: (imported: Imported) => void,
): Promise<Imported> {
  const pets = store.collection('pets');
  const imported = { added: 0, known: 0 };
  let last = await lastId(pets);
  for await (const batch of batches) {
    const known = batch.filter(({ id }) => id <= last);
    const added = batch.slice(known.length);
    await compare(pets, known);
    if (added.length > 0 && !(await pets.restore(added)))
      throw new ImportError(
        `The store has given out the identifier ${added[0]?.id} or a higher one; stop all servers.`,
      );
    last = Math.max(last, added.at(-1)?.id ?? 0);
    imported.known += known.length;
    imported.added += added.length;
    onProgress(imported);
  }
  return imported;
}

/** The highest identifier in the store, 0 where there is none. */
async function lastId(pets: Collection): Promise<number> {
  const isBehind = async (id: number) => (await pets.list({ after: id, limit: 1 })).count > 0;
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

async function compare(pets: Collection, known: readonly ImportedPet[]): Promise<void> {
  for (let at = 0; at < known.length; ) {
    const page = await pets.list({ after: (known[at]?.id ?? 0) - 1, limit: known.length - at });
    const byId = new Map(
      documentsIn(page)
        .map(decode)
        .map((pet) => [pet.id, pet]),
    );
    const reach = page.count > 0 ? page.last : Number.POSITIVE_INFINITY;
    for (let pet = known[at]; pet && pet.id <= reach; pet = known[++at]) {
      const other = byId.get(pet.id);
      if (other === undefined) throw new ImportError(`The store has no animal ${pet.id}, but later ones.`);
      if (!isDeepStrictEqual({ ...other }, { ...pet }))
        throw new ImportError(`The animal ${pet.id} of the store is another one; nothing is ever replaced.`);
    }
  }
}
