import { isDeepStrictEqual } from 'node:util';
import type { Pet } from '@petstore/types';
import type { Store } from '../store/store.ts';

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
  batches: AsyncIterable<Pet[]>,
  onProgress: (imported: Imported) => void,
): Promise<Imported> {
  const imported = { added: 0, known: 0 };
  let last = await lastId(store);
  for await (const batch of batches) {
    const known = batch.filter(({ id }) => id <= last);
    const added = batch.slice(known.length);
    await compare(store, known);
    if (added.length > 0) await (store.restore ? restore(store.restore, added) : continueWith(store, last, added));
    last = Math.max(last, added.at(-1)?.id ?? 0);
    imported.known += known.length;
    imported.added += added.length;
    onProgress(imported);
  }
  return imported;
}

/** The highest identifier in the store, 0 where there is none. */
async function lastId(store: Store): Promise<number> {
  const isBehind = async (id: number) => (await store.list({ after: id, limit: 1 })).length > 0;
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

async function compare(store: Store, pets: readonly Pet[]): Promise<void> {
  for (let at = 0; at < pets.length; ) {
    const there = await store.list({ after: (pets[at]?.id ?? 0) - 1, limit: pets.length - at });
    const byId = new Map(there.map((pet) => [pet.id, pet]));
    const reach = there.at(-1)?.id ?? Number.POSITIVE_INFINITY;
    for (let pet = pets[at]; pet && pet.id <= reach; pet = pets[++at]) {
      const other = byId.get(pet.id);
      if (other === undefined) throw new ImportError(`The store has no animal ${pet.id}, but later ones.`);
      if (!isDeepStrictEqual({ ...other }, { ...pet })) {
        throw new ImportError(`The animal ${pet.id} of the store is another one; nothing is ever replaced.`);
      }
    }
  }
}

async function restore(keep: NonNullable<Store['restore']>, pets: readonly Pet[]): Promise<void> {
  if (await keep(pets)) return;
  throw new ImportError(`Others add animals to the store meanwhile: stop the servers, then do it again.`);
}

/** A store that nobody else can write gives the next identifiers, without a gap. */
async function continueWith(store: Store, last: number, pets: readonly Pet[]): Promise<void> {
  const gap = pets.findIndex(({ id }, i) => id !== last + 1 + i);
  if (gap >= 0) throw new ImportError(`The animal ${last + 1 + gap} is missing, and a data folder has no gaps.`);
  await Promise.all(pets.map(({ id: _, ...pet }) => store.create(pet)));
}
