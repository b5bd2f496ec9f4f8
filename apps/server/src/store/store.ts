/** A store of documents: JSON objects by identifier, in collections. Each adapter passes test/store/store-suite.ts. */
export interface Store {
  /** The collection with this name. Throws for an undeclared name. */
  collection(name: string): Collection;
  /** Whether requests can be served now. */
  ready(): Promise<boolean>;
  /** Whether writing has failed, so the server must be restarted. Needs no I/O, because `/healthz` calls it. */
  hasFailed(): boolean;
  /** The number of idempotency keys, as far as this process knows. */
  idempotency(): IdempotencyState;
  /** The connections by purpose. Only stores with connections have this. */
  connections?(): Readonly<Record<string, Connections>>;
  /** Rejects new writes, and resolves when the accepted writes are stored. */
  close(): Promise<void>;
}

/**
 * A write is durable when it resolves, and visible to every later read. It rejects with a StoreUnavailableError if it was not
 * done, and with a StoreUncertainError if the outcome is unknown. A write with `idempotency` can be repeated, also by another server
 * on the same store, and is done once.
 */
export interface Collection {
  /** Stores a new document under the next identifier. */
  create(properties: Properties, options?: WriteOptions): Promise<Document>;
  /** Replaces the document with this identifier. */
  replace(id: number, properties: Properties, options?: WriteOptions): Promise<Document | NotWritten>;
  remove(id: number, options?: WriteOptions): Promise<Removed | NotWritten>;
  /**
   * Stores documents with ascending identifiers of their own. If the collection has already assigned the first identifier or a
   * higher one, stores no document and resolves to `false`.
   */
  restore(documents: readonly Properties[]): Promise<boolean>;
  /** The document with this identifier. If the document is in memory, the result is no promise. */
  get(id: number): Awaitable<Document | undefined>;
  /** A page of documents in ascending order of identifiers. */
  list(query: ListQuery): Awaitable<Page>;
  /** The ETag of the lists: a text that changes with every write and every run of the server. Undefined if other servers may write. */
  version(): string | undefined;
}

export type Awaitable<T> = T | Promise<T>;

/** An object for JSON. Integers beyond 2^53 are `bigint`. */
export type Properties = Readonly<Record<string, unknown>>;

export interface WriteOptions {
  /** Write only if the stored document has this version. */
  readonly ifVersion?: string;
  readonly idempotency?: Idempotency;
}

/**
 * Makes a write safe to repeat. Its key is stored in the same commit. For 24 hours, another write with this key does nothing,
 * and resolves to the first result with `isReplayed`. A write without effect stores no key. A known key with another
 * fingerprint rejects with an IdempotencyMismatchError.
 */
export interface Idempotency {
  readonly key: string;
  /** Equal for equal writes. */
  readonly fingerprint: string;
}

/** The lifetime of an idempotency key. If there are too many keys, the oldest keys are evicted earlier. */
export const IDEMPOTENCY_MS = 86_400_000;
export const MAX_IDEMPOTENCY_KEYS = 1_000_000;

export interface IdempotencyState {
  /** The number of stored keys. */
  readonly keys: number;
  /** The number of keys that were evicted early, because there were too many. */
  readonly forgotten: number;
}

/** JSON text. */
export interface JsonText {
  readonly text: string;
  /** `latin1` if each character stands for one byte of the UTF-8 text. */
  readonly encoding: 'utf8' | 'latin1';
}

/** A stored document: a JSON object on one line, its identifier first. */
export interface Document {
  readonly outcome: 'stored';
  readonly id: number;
  /** Changes with every replacement, and stays the same across restarts. */
  readonly version: string;
  readonly json: JsonText;
  /** Set if this is the result of an earlier write with the same key. */
  readonly isReplayed?: true;
}

export interface Removed {
  readonly outcome: 'removed';
  readonly isReplayed?: true;
}

/** The reason why a write had no effect: there is no such document, or it has another version. */
export interface NotWritten {
  readonly outcome: 'missing' | 'conflict';
}

export interface ListQuery {
  /** Only documents with higher identifiers. */
  readonly after: number;
  readonly limit: number;
  /** Only documents whose indexed property has this value. A missing property counts as null. */
  readonly filter?: { readonly property: string; readonly value: unknown };
  /** The page ends with the document that reaches this size, counted as compact JSON. Default: MAX_PAGE_BYTES. */
  readonly maxBytes?: number;
}

export interface Page {
  /** An array whose documents are separated by `,\n`. */
  readonly json: JsonText;
  readonly count: number;
  /** The identifier of the last document, 0 for an empty page. */
  readonly last: number;
  /** Whether more documents may follow: the page has reached `limit` or `maxBytes`. */
  readonly more: boolean;
}

/** The state of the connections for one purpose. */
export interface Connections {
  idle: number;
  busy: number;
  opening: number;
  /** Requests that wait for a connection. */
  waiting: number;
}

/** A finished group commit. */
export interface Commit {
  writes: number;
  milliseconds: number;
}
