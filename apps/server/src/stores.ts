import { declarations } from './collections.ts';
import { openLowdbStore as openLowdb } from './store/lowdb.ts';
import { memoryStore as inMemory } from './store/memory.ts';
import type { Store } from './store/store.ts';

/** A store that forgets everything when the process ends, for tests. */
export function memoryStore(): Store {
  return inMemory(declarations);
}

/** The durable store in a folder. */
export function openLowdbStore(folder: string): Promise<Store> {
  return openLowdb(folder, declarations);
}
