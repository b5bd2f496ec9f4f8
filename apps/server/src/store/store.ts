/** What stores offer. A store knows nothing of pets: it holds JSON documents in collections. */
export interface Store {
  /** A collection. With a request key, each write is done once, and saved together with the key in one commit. */
  collection(name: string, key?: RequestKey): Collection;
  /** Changes with every write; NaN where only the database knows. */
  version(): number;
  /** The identifier that the next document gets. Identifiers are never used again. */
  nextId(collection: string): Awaitable<number>;
  /** Adds exported documents under their identifiers, and raises the next identifier. Existing documents have to be equal. */
  restore(
    collection: string,
    documents: ReadonlyMap<number, object>,
    nextId: number,
  ): Promise<void>;
  /** Rejects if the store cannot be used now. For /readyz. */
  check(): Promise<void>;
  /** How many idempotency keys were forgotten before their time, because there were too many. For the metrics. */
  forgottenKeys(): number;
  close(): Promise<void>;
}

export interface Reader {
  get(id: number): Awaitable<Stored | undefined>;
  list(query: Query): Awaitable<Page>;
}

export interface Collection extends Reader {
  create(document: object): Promise<Stored>;
  /** Undefined if there is no such document. */
  replace(id: number, document: object): Promise<Stored | undefined>;
  /** Returns the removed document; undefined if there is no such document. */
  remove(id: number): Promise<Stored | undefined>;
}

export type Awaitable<T> = T | Promise<T>;

/** A document as its JSON text, which is sent and stored as it is: 64-bit integers stay exact, and nothing is parsed twice. */
export interface Stored {
  readonly json: string;
  /** Whether an earlier request with the same key wrote it. */
  readonly isReplayed?: boolean;
}

export interface Query {
  /** Only documents with a greater identifier. */
  readonly after: number;
  readonly limit: number;
  /** Only documents whose declared property has this value. */
  readonly filter?: { readonly property: string; readonly value: string };
}

export interface Page {
  /** The documents as a JSON array, in ascending order of identifiers. It ends early at about MAX_PAGE_SIZE. */
  readonly json: string;
  /** Where the next page begins, if there are more documents: the next query's `after`. */
  readonly next?: number;
}

/** What makes a request the same one: the name of the API key, the idempotency key, and a hash of the request. */
export interface RequestKey {
  readonly caller: string;
  readonly key: string;
  readonly fingerprint: string;
  /** How many writes the request has made, which the store counts. Each request has an object of its own. */
  writes?: number;
}

/** A collection as the service declares it. */
export interface Declaration {
  readonly name: string;
  /** The property with the identifier, which the store assigns. */
  readonly id: string;
  /** The properties that lists can be filtered by. */
  readonly filters: readonly string[];
}

/** The store cannot be opened, or documents cannot be restored. The message says in one line why, and what to do. */
export class StoreError extends Error {}

/** Nothing was done. Trying again may help. */
export class UnavailableError extends Error {}

/** The write may have been done or not. The same request with its idempotency key finds out. */
export class UnknownOutcomeError extends Error {}

/** The idempotency key belongs to another request. */
export class KeyReusedError extends Error {}

/** A page ends when its documents have this many characters. */
export const MAX_PAGE_SIZE = 2 ** 20;

/** For how long, how many, and how many characters of results of requests with idempotency keys are remembered. */
export const KEYS = { milliseconds: 24 * 3_600_000, count: 200_000, size: 2 ** 26 };

/** The text of a property by which lists are filtered; undefined if it has none. */
export function filterText(document: unknown, property: string): string | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(document, property)?.value;
  return value === undefined || typeof value === 'object' ? undefined : String(value);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** Throws an error of the disk or the database as one that says that nothing was done. */
export function nothingDone(error: unknown): never {
  if (error instanceof UnavailableError) throw error;
  throw new UnavailableError(`Nothing was done (${messageOf(error)}).`, { cause: error });
}
