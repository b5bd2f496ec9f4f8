import { deepStrictEqual } from 'node:assert';
import { added, collectionPath, create, type Document, documents, filter, get, list, size } from '../workload.ts';

/** A request that is sent to every server repeatedly. */
export interface Load {
  name: LoadName;
  method: 'GET' | 'POST';
  /** The targets that are requested in turn. */
  targets: readonly string[];
  body?: object;
  /** A header with another value in each request. */
  keyHeader?: string | undefined;
  status: number;
  /** Throws if the response to the first target is wrong. */
  check(body: unknown): void;
}

export type LoadName = 'list 20' | 'list 100 filtered' | 'get' | 'create';

/** The API key of the load generator. */
export const apiKey = 'a-key-that-is-for-the-bench';

/** The placeholder for an idempotency key. It is as long as a UUID. */
export const KEY_PLACEHOLDER = 'k'.repeat(36);

// The identifiers are scattered, and the same in every run.
const ids = Array.from({ length: 1000 }, (_, i) => ((i * 7919 + 4711) % size) + 1);

export const listLoad = listing('list 20', 20);

const getLoad: Load = {
  name: 'get',
  method: get.method,
  targets: ids.map((id) => `${collectionPath}/${id}`),
  status: get.success,
  check: (body) => deepStrictEqual(body, documents()[(ids[0] ?? 0) - 1]),
};

export const createLoad: Load = {
  name: 'create',
  method: create.method,
  targets: [collectionPath],
  body: added,
  status: create.success,
  check: (body) => {
    const { id, ...properties } = body as Document;
    deepStrictEqual(properties, added);
    if (!(id > size)) throw new Error(`The new document has the identifier ${id}.`);
  },
};

/** The loads that change nothing. */
export const readLoads: readonly Load[] = [listLoad, listing('list 100 filtered', 100, filter), getLoad];

/** All loads. Creating is last, because it adds documents. */
export const loads: readonly Load[] = [...readLoads, createLoad];

function listing(name: LoadName, limit: number, by?: typeof filter): Load {
  const query = by ? `&${by.property}=${by.value}` : '';
  return {
    name,
    method: list.method,
    targets: [`${collectionPath}?${list.pagination.limit}=${limit}${query}`],
    status: list.success,
    check: (body) => {
      const matching = documents().filter((document) => !by || document[by.property] === by.value);
      deepStrictEqual(body, matching.slice(0, limit));
    },
  };
}

/** The requests of a load as HTTP text. */
export function requestTexts({ method, targets, body, keyHeader }: Load): string[] {
  const text = body ? JSON.stringify(body) : '';
  const headers = ['Host: 127.0.0.1', `Authorization: Bearer ${apiKey}`];
  if (keyHeader) headers.push(`${keyHeader}: ${KEY_PLACEHOLDER}`);
  if (body) headers.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`);
  return targets.map((target) => [`${method} ${target} HTTP/1.1`, ...headers, '', text].join('\r\n'));
}

/** Throws if a server's response to the first request of a load is wrong. */
export async function checkResponse(port: number, { name, method, targets, body, status, check }: Load): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${targets[0]}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== status) throw new Error(`${name}: the response is ${response.status}: ${text}`);
  check(JSON.parse(text));
}
