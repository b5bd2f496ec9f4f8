import { deepStrictEqual } from 'node:assert';
import { added, collectionPath, create, type Document, filter, get, list, size } from '../workload.ts';

/** A request that is sent to every server repeatedly. */
export interface Load {
  name: LoadName;
  method: 'GET' | 'POST';
  /** The targets that are requested in turn. */
  targets: readonly string[];
  body?: object;
  /** A header with another value in each request. */
  keyHeader?: string;
  status: number;
  /** Throws if the response to the first target is wrong. */
  check(answer: unknown, stored: readonly Document[]): void;
}

export type LoadName = 'list 20' | 'list 100 filtered' | 'get' | 'create';

/** The API key of the load generator. */
export const apiKey = 'a-key-that-is-for-the-bench';

// Scattered, and the same in every run.
const ids = Array.from({ length: 1000 }, (_, i) => ((i * 7919 + 4711) % size) + 1);

/** All loads. Creating is last, because it adds documents. */
export const loads: readonly Load[] = [
  listing('list 20', 20),
  listing('list 100 filtered', 100, filter),
  {
    name: 'get',
    method: get.method,
    targets: ids.map((id) => `${collectionPath}/${id}`),
    status: get.success,
    check: (answer, stored) => deepStrictEqual(answer, stored[(ids[0] ?? 0) - 1]),
  },
  {
    name: 'create',
    method: create.method,
    targets: [collectionPath],
    body: added,
    status: create.success,
    check: (answer) => {
      const { id, ...rest } = answer as Document;
      deepStrictEqual(rest, added);
      if (!(id > size)) throw new Error(`The new document has the identifier ${id}.`);
    },
  },
];

function listing(name: LoadName, limit: number, by?: typeof filter): Load {
  const query = by ? `&${by.property}=${by.value}` : '';
  return {
    name,
    method: list.method,
    targets: [`${collectionPath}?${list.pagination.limit}=${limit}${query}`],
    status: list.success,
    check: (answer, stored) => {
      const right = stored.filter((document) => !by || document[by.property] === by.value);
      deepStrictEqual(answer, right.slice(0, limit));
    },
  };
}
