/** What stores offer. A store knows nothing of pets: it holds JSON documents in collections. */
export interface Store {
  /**
   * A collection. With a keyed request, its write is saved together with the key in one commit. A
   * second write of the same keyed request throws an Error: it is a programming error.
   */
  collection(name: string, request?: KeyedRequest): Collection;
  /**
   * The first response of a request with this key; undefined if none has written. Throws
   * KeyReusedError if the key belongs to another request. Locks nothing.
   */
  replay(request: KeyedRequest): Awaitable<Replay | undefined>;
  /** The identifier that the next document gets. Identifiers are never used again. */
  nextId(collection: string): Awaitable<number>;
  /**
   * Adds exported documents under their identifiers. Existing documents have to be equal. Returns
   * how many documents were added.
   */
  restore(collection: string, documents: ReadonlyMap<number, object>): Promise<number>;
  /** Raises the next identifier to at least this one. */
  reserve(collection: string, nextId: number): Promise<void>;
  /** Rejects if the store cannot be used now. For /readyz. */
  check(): Promise<void>;
  /** For the metrics. */
  stats(): Stats;
  close(): Promise<void>;
}

export interface Collection {
  get(id: number): Awaitable<StoredDocument | undefined>;
  list(query: Query): Awaitable<StoredPage>;
  create(document: object): Promise<StoredDocument>;
  /** Undefined if there is no such document. */
  replace(id: number, document: object): Promise<StoredDocument | undefined>;
  /** Returns the removed document; undefined if there is no such document. */
  remove(id: number): Promise<StoredDocument | undefined>;
}

export type Awaitable<T> = T | Promise<T>;

/**
 * A document as its JSON text, which is sent and stored as it is: 64-bit integers stay exact, and
 * nothing is parsed twice.
 */
export class StoredDocument {
  readonly json: string;
  /** Whether an earlier request with the same key wrote it. */
  readonly isReplayed: boolean;

  constructor(json: string, isReplayed = false) {
    this.json = json;
    this.isReplayed = isReplayed;
  }
}

/**
 * A page of documents in ascending order of their identifiers. It ends early at about
 * MAX_PAGE_SIZE.
 */
export class StoredPage {
  /** The documents as a JSON array. */
  readonly json: string;
  /**
   * Where the next page begins: the next query's `after`. Undefined if there are no more documents.
   */
  readonly next: number | undefined;

  constructor(json: string, next?: number) {
    this.json = json;
    this.next = next;
  }
}

export interface Query {
  /** Only documents with a greater identifier. */
  readonly after: number;
  readonly limit: number;
  /** Only documents whose declared properties have these values, all of them. */
  readonly filters?: Filters;
}

/** By property, the value that documents have. A value is compared as text. */
export type Filters = Readonly<Record<string, string | number | bigint | boolean>>;

/**
 * What makes a request the same one, and what its first response was. Each request has an object of
 * its own.
 */
export interface KeyedRequest {
  /** The name of the API key, to which the idempotency key belongs. */
  readonly caller: string;
  readonly key: string;
  /** A hash of the request. */
  readonly fingerprint: string;
  /** The status with which the request succeeds. It is saved with the write, and replayed. */
  readonly status: number;
}

/** The first response of a keyed request. */
export interface Replay {
  readonly status: number;
  readonly document: StoredDocument;
}

/** Numbers of a store. A number that the store does not know cheaply is left out. */
export interface Stats {
  /** How many documents each collection has. */
  readonly documents?: Readonly<Record<string, number>>;
  readonly journalBytes?: number | undefined;
  /** How many bytes documents may still grow. */
  readonly roomBytes?: number | undefined;
  /** How many idempotency keys were forgotten before their time, because there were too many. */
  readonly forgottenKeys: number;
}

/** A collection as the service declares it. */
export interface Declaration {
  readonly name: string;
  /** The property with the identifier, which the store assigns. */
  readonly id: string;
  /** The properties that lists can be filtered by. */
  readonly filters: readonly string[];
}

/**
 * The store cannot be opened, or documents cannot be restored. The message says in one line why,
 * and what to do.
 */
export class StoreError extends Error {}

/** Nothing was done. Trying again may help. */
export class UnavailableError extends Error {}

/** The write may have been done or not. The same request with its idempotency key finds out. */
export class UnknownOutcomeError extends Error {}

/** The idempotency key belongs to another request. */
export class KeyReusedError extends Error {
  constructor() {
    super('The idempotency key was already used for another request.');
  }
}

/** A page ends when its documents have this many characters. */
export const MAX_PAGE_SIZE = 2 ** 20;

/**
 * For how long, how many, and how many characters of results of requests with idempotency keys are
 * remembered.
 */
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
