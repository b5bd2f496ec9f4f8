// The pets that every measured server and store holds, and how fast they are created.
import { openLowdbStore, type Store } from '@petstore/server';
import { type NewPet, operations, type Pet } from '@petstore/types';

export const apiKey = 'a-key-that-is-for-the-bench';
export const collection = 'pets';

/** How many pets every measured server has at the start. */
export const PET_COUNT = 10_000;

/** How many connections to a server, or callers of a store, there are at once. */
export const CONCURRENCY = 64;

export const statuses = operations.listPets.fields.status.schema.enum;

/** The pet of this number without its identifier. One in four has no status. */
export function newPet(number: number): NewPet {
  const pet: NewPet = { name: `Rex the ${number}th`, categoryId: number % 50 };
  const status = statuses[number % (statuses.length + 1)];
  if (status !== undefined) pet.status = status;
  return pet;
}

/** The pets that every measured server has at the start. */
export function firstPets(): Pet[] {
  return Array.from({ length: PET_COUNT }, (_, index) => ({ id: index + 1, ...newPet(index + 1) }));
}

/** Adds pets to an empty store. */
export async function fill(store: Store, count: number): Promise<void> {
  const pets = store.collection(collection);
  for (let done = 0; done < count; done += 1000) {
    const numbers = Array.from({ length: Math.min(1000, count - done) }, (_, i) => done + i + 1);
    await Promise.all(numbers.map((number) => pets.create(newPet(number))));
  }
}

/** Makes a data folder with so many pets. */
export async function fillFolder(folder: string, count: number): Promise<void> {
  const store = await openLowdbStore(folder);
  await fill(store, count);
  await store.close();
}

/** Measures how many pets callers create in a second. */
export function createRate(store: Store, callers: number, count: number): Promise<number> {
  const pets = store.collection(collection);
  return rateOf((number) => pets.create(newPet(number)), callers, count);
}

/** Runs concurrent callers, which make so many calls together. Returns the calls per second. */
export async function rateOf(
  call: (number: number) => unknown,
  callers: number,
  count: number,
): Promise<number> {
  const started = performance.now();
  let calls = 0;
  const caller = async () => {
    while (calls < count) {
      calls++;
      await call(calls);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (count * 1000) / (performance.now() - started);
}
