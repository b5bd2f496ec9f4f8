/**
 * Where documents are stored: JSON objects by identifier, in collections. Every adapter keeps these promises, and one
 * test suite checks them (test/store/store-suite.ts).
 */
export interface Store {
  /** Whether what it returns is the text that it stores, which is best sent unparsed. */
  readonly passesJson: boolean;
  /** The collection of this name. Throws for a name that was not declared. */
  collection(name: string): Collection;
  /** Whether requests can be served now. */
  ready(): Promise<boolean>;
  /** How the store fares, without asking anybody: for `/healthz`, logs and metrics. */
  state(): StoreState;
  /** The keys of idempotent writes, as far as this process knows them. */
  idempotency(): IdempotencyState;
  /** The connections by purpose; only stores that are reached by connections have any. */
  connections?(): Readonly<Record<string, Connections>>;
  /** Writes a consistent copy into a folder that does not exist yet, while the store is in use; only stores in a folder. */
  backup?(folder: string): Promise<void>;
  /** Takes no further write, and resolves when those that were accepted are stored. */
  close(): Promise<void>;
}

/**
 * Writes are durable once they resolve, and visible to every read that begins later. A write rejects with
 * StoreUnavailableError if nothing was done, and with StoreUncertainError if nobody knows whether it was. A write with
 * `idempotency` can then be repeated, by any server on the same store: it is done once.
 */
export interface Collection {
  /** Stores a new document under the next identifier. */
  create(properties: Properties, options?: WriteOptions): Promise<Document>;
  /** Stores a document in the place of the one with this identifier. */
  replace(id: number, properties: Properties, options?: WriteOptions): Promise<Document | NotWritten>;
  remove(id: number, options?: WriteOptions): Promise<Removed | NotWritten>;
  /**
   * Stores documents under the identifiers that they have, ascending: all of them, or none and `false` where the collection
   * has given out an identifier as high as the first one.
   */
  restore(documents: readonly Properties[]): Promise<boolean>;
  /** The document with this identifier. A store that has it in memory answers at once, without a promise. */
  get(id: number): Awaitable<Document | undefined>;
  /** Documents in ascending order of identifiers. */
  list(query: ListQuery): Awaitable<Page>;
  /** Changes with every write to the collection, and is different in every run: the ETag of its lists. */
  version(): string | undefined;
}

export type Awaitable<T> = T | Promise<T>;

/** An object that JSON can carry; integers beyond 2^53 are `bigint`. */
export type Properties = Readonly<Record<string, unknown>>;

export interface WriteOptions {
  /** Only if this is the version of the stored document. */
  readonly ifVersion?: string;
  readonly idempotency?: Idempotency;
}

/**
 * Makes a write safe to repeat. Its key is stored in the same commit; for 24 hours a write with this key does nothing and
 * resolves to the result of the first one, as `isReplayed`. A write that did nothing stores no key. One key stands for one
 * kind of write: with another fingerprint it rejects with an IdempotencyMismatchError.
 */
export interface Idempotency {
  readonly key: string;
  /** Equal for equal writes. */
  readonly fingerprint: string;
}

/** How long a key is remembered, unless there are too many: then the oldest ones are forgotten. */
export const IDEMPOTENCY_MS = 86_400_000;
export const MAX_IDEMPOTENCY_KEYS = 1_000_000;

export interface IdempotencyState {
  /** The keys that are remembered. */
  readonly keys: number;
  /** The keys that were forgotten early, because there were too many. */
  readonly forgotten: number;
}

/** JSON as it goes to the socket, unparsed. */
export interface JsonText {
  readonly text: string;
  /** `latin1` where each character stands for one byte. */
  readonly encoding: 'utf8' | 'latin1';
}

/** A stored document: a JSON object on one line, its identifier first. */
export interface Document {
  readonly outcome: 'stored';
  readonly id: number;
  /** Another one after every replacement; it outlives restarts. */
  readonly version: string;
  readonly json: JsonText;
  /** The write was done before; this is its result from then. */
  readonly isReplayed?: true;
}

export interface Removed {
  readonly outcome: 'removed';
  readonly isReplayed?: true;
}

/** Why a conditional or addressed write did nothing: there is no such document, or it has another version. */
export interface NotWritten {
  readonly outcome: 'missing' | 'conflict';
}

export interface ListQuery {
  /** Only documents with higher identifiers. */
  readonly after: number;
  readonly limit: number;
  /** Only documents whose indexed property has this value; a missing one counts as null. */
  readonly filter?: { readonly property: string; readonly value: unknown };
  /** The page ends with the document that brings it to this many bytes, each with one byte between it and the next. */
  readonly maxBytes?: number;
}

export const DEFAULT_PAGE_BYTES = 2 ** 20;

export interface Page {
  /** An array; `,\n` stands between two documents. */
  readonly json: JsonText;
  readonly count: number;
  /** The identifier of the last document, 0 without any. */
  readonly last: number;
  /** Whether more documents may follow: the page is full, or it ended early. */
  readonly more: boolean;
}

export interface StoreState {
  readonly status: 'opening' | 'open' | 'failed' | 'closed';
  /** Why the store takes no more writes until a restart, for `failed`. */
  readonly reason?: string;
}

/** The state of the connections for one purpose. */
export interface Connections {
  idle: number;
  busy: number;
  opening: number;
  /** Requests that wait for one. */
  waiting: number;
}

/** One group of writes that was committed together. */
export interface Commit {
  writes: number;
  milliseconds: number;
}
