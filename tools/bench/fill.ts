import { openLowdbStore, type Store } from '@petstore/server';
import { newPet, size } from './pets.ts';

/** Adds so many pets to a store. */
export async function fill(store: Store, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1000) {
    const batch = Array.from({ length: Math.min(1000, count - done) }, (_, i) => newPet(done + i + 1));
    await Promise.all(batch.map((pet) => store.collection('pets').create(pet)));
  }
}

/** Makes a folder of the shipped server with the pets that every server has, or so many of them. */
export async function fillFolder(folder: string, count = size): Promise<void> {
  const store = await openLowdbStore(folder);
  await fill(store, count);
  await store.close();
}
