import { deepStrictEqual } from 'node:assert';
import { operations, type Pet, service } from '@petstore/types';
import { added, size } from '../pets.ts';

/** How a server wants the same thing to be asked. */
export type Dialect = 'petstore' | 'json-server';

/** Something that is asked of every server, over and over. */
export interface Load {
  name: LoadName;
  method: 'GET' | 'POST';
  /** The targets that are asked for in turn. */
  targets(dialect: Dialect): string[];
  body?: object;
  status: number;
  /** Throws where the answer to the first target is not the right one. */
  check(answer: unknown, stored: readonly Pet[]): void;
}

export type LoadName = 'list 20' | 'list 100 available' | 'get' | 'create';

/** Who calls. */
export const apiKey = 'a-key-that-is-for-the-bench';

/** The version segment, as in every address of the spec. */
export const basePath = new URL(service.deployments.production).pathname;

const pets = `${basePath}${operations.listPets.path}`;
const limitOf: Record<Dialect, string> = { petstore: 'limit', 'json-server': '_limit' };
// Random, and the same for everyone: a multiplicative step that visits them in no order.
const ids = Array.from({ length: 1000 }, (_, i) => ((i * 7919 + 4711) % size) + 1);

/** What the servers are asked for. Adding comes last, because it makes more of the pets. */
export const loads: readonly Load[] = [
  list('list 20', 20),
  list('list 100 available', 100, 'available'),
  {
    name: 'get',
    method: 'GET',
    targets: () => ids.map((id) => `${pets}/${id}`),
    status: operations.getPet.success,
    check: (answer, stored) => deepStrictEqual(answer, stored[(ids[0] ?? 0) - 1]),
  },
  {
    name: 'create',
    method: 'POST',
    targets: () => [pets],
    body: added,
    status: operations.createPet.success,
    check: (answer) => {
      const { id, ...rest } = answer as Pet;
      deepStrictEqual(rest, added);
      if (!(id > size)) throw new Error(`The new pet has the identifier ${id}.`);
    },
  },
];

function list(name: LoadName, limit: number, status?: Pet['status']): Load {
  return {
    name,
    method: 'GET',
    targets: (dialect) => [`${pets}?${limitOf[dialect]}=${limit}${status ? `&status=${status}` : ''}`],
    status: operations.listPets.success,
    check: (answer, stored) => {
      const right = stored.filter((pet) => status === undefined || pet.status === status);
      deepStrictEqual(answer, right.slice(0, limit));
    },
  };
}
