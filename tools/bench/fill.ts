import { openLowdbStore, type Store } from '@petstore/server';
import { collection, newDocument, size } from './workload.ts';

/** Adds so many documents to a store. */
export async function fill(store: Store, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1000) {
    const batch = Array.from({ length: Math.min(1000, count - done) }, (_, i) => newDocument(done + i + 1));
    await Promise.all(batch.map((document) => store.collection(collection).create(document)));
  }
}

/** Makes a folder of the shipped server with the documents that every server has, or so many of them. */
export async function fillFolder(folder: string, count = size): Promise<void> {
  const store = await openLowdbStore(folder);
  await fill(store, count);
  await store.close();
}
