import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLowdbStore, type Store } from '@petstore/server';
import { collection, newDocument, size } from './workload.ts';

/** Adds `count` documents to a store. */
export async function fill(store: Store, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1000) {
    const batch = Array.from({ length: Math.min(1000, count - done) }, (_, i) => newDocument(done + i + 1));
    await Promise.all(batch.map((document) => store.collection(collection).create(document)));
  }
}

/** Makes a data folder of the shipped server with `count` documents. */
export async function fillFolder(folder: string, count = size): Promise<void> {
  const store = await openLowdbStore(folder);
  await fill(store, count);
  await store.close();
}

/** Runs `use` with a temporary folder, and removes the folder afterwards. */
export async function withScratch<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
