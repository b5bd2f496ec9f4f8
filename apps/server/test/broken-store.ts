import type { Collection, Store } from '../src/store/store.ts';

/** The store, but for some functions of its collections. */
export function withFunctions(store: Store, functions: Partial<Collection>): Store {
  return { ...store, collection: (name) => ({ ...store.collection(name), ...functions }) };
}
