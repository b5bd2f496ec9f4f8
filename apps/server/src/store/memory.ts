import type { Pet } from '@petstore/types';
import type { Store } from './store.ts';

/** A store that forgets everything when the process ends: for trying things out, and the reference for the others. */
export function memoryStore(): Store {
  const pets: Pet[] = [];
  return {
    create: async (pet) => {
      const kept = { id: pets.length + 1, ...pet };
      pets.push(kept);
      return kept;
    },
    get: async (id) => pets[id - 1],
    list: async ({ after, status, limit }) =>
      pets
        .slice(after)
        .filter((pet) => status === undefined || pet.status === status)
        .slice(0, limit),
    ready: async () => true,
    close: async () => {},
  };
}
