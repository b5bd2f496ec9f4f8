// Executes a request with an idempotency key once, and repeats its first response.
import { hash } from 'node:crypto';
import { exactJson } from '@petstore/types';
import { inFlight } from './errors.ts';
import type { Collection, KeyedRequest, Store, StoredDocument } from './store/store.ts';

/** What the execution of a keyed request gave, now or the first time. */
export interface KeyedResult {
  /** What the handler returned; the document that its write returned, if this is a repetition. */
  readonly result: unknown;
  readonly isReplayed: boolean;
}

/** The keyed requests of a server. */
export class IdempotentCalls {
  readonly #running = new Set<string>();

  /** Executes a request, unless it was executed before. While it is running, others with its key get 409. */
  async call(
    store: Store,
    request: KeyedRequest,
    execute: (writes: KeyedWrites) => unknown,
  ): Promise<KeyedResult> {
    const id = `${request.caller} ${request.key}`;
    if (this.#running.has(id)) throw inFlight();
    this.#running.add(id);
    try {
      const replay = await store.replay(request);
      if (replay) return { result: replay.document, isReplayed: true };
      const writes = new KeyedWrites(store, request);
      const result = await execute(writes);
      return { result, isReplayed: writes.written?.isReplayed ?? false };
    } finally {
      this.#running.delete(id);
    }
  }
}

/** The collections of a store for one keyed request, and the document that its write returned. */
export class KeyedWrites {
  readonly #store: Store;
  readonly #request: KeyedRequest;
  written: StoredDocument | undefined;

  constructor(store: Store, request: KeyedRequest) {
    this.#store = store;
    this.#request = request;
  }

  collection(name: string): Collection {
    const collection = this.#store.collection(name, this.#request);
    const note = <Written extends StoredDocument | undefined>(document: Written): Written => {
      this.written = document;
      return document;
    };
    return {
      get: (id) => collection.get(id),
      list: (query) => collection.list(query),
      create: async (document) => note(await collection.create(document)),
      replace: async (id, document) => note(await collection.replace(id, document)),
      remove: async (id) => note(await collection.remove(id)),
    };
  }
}

/** A hash of a request, which tells whether another is the same. The order of members does not matter. */
export function fingerprintOf(method: string, path: string, values: object): string {
  return hash('sha256', `${method} ${path} ${exactJson(sorted(values))}`, 'base64url');
}

/** The value with the members of its objects in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]));
}
