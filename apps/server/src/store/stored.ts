import type { Api, Arguments, OperationId, operations, Result } from '../old.ts';
import { decode, whenRead } from './document.ts';
import type { Awaitable, Collection, Document, JsonText, NotWritten, Page, Properties } from './store.ts';

/** The operations of `Api` as the server implements them. */
export type Handlers = {
  [Id in OperationId]: (...input: Immutable<Arguments<Id>>) => Awaitable<ResultOf<Id> | WithHeaders<ResultOf<Id>>>;
};

type ResultOf<Id extends OperationId> = HandlerResult<Result<Id>, (typeof operations)[Id]['successes']>;

/** Plain data, or a `Stored`, which has no status, so it is only for an operation with one declared success. */
export type HandlerResult<T, Successes extends readonly string[]> =
  | Immutable<T>
  | (Successes extends readonly [string] ? Stored<T> : never);

/** Data that handlers do not change, because requests with the same URL share their input. */
type Immutable<T> = T extends Blob | ReadableStream | Uint8Array
  ? T
  : T extends object
    ? { readonly [Key in keyof T]: Immutable<T[Key]> }
    : T;

/** A collection, and its version before something was read from it. */
export interface CollectionState {
  readonly collection: Pick<Collection, 'version'>;
  readonly version: string | undefined;
}

/** A result that the store has as JSON text, which is sent unparsed. */
export class Stored<T> {
  readonly json: JsonText;
  /** Changes whenever the text does. The ETag is made from it. */
  readonly version: string | undefined;
  /** For a page of a list. */
  readonly page: Page | undefined;
  /** A cached response is valid while the collection has this version. */
  readonly state: CollectionState;

  constructor(read: Document | Page, state: CollectionState) {
    this.json = read.json;
    this.version = 'outcome' in read ? read.version : state.version;
    this.page = 'outcome' in read ? undefined : read;
    this.state = state;
  }

  decode(): T {
    return decode<T>(this.json);
  }
}

/** A result, and headers of its response. The server's own headers, such as `Content-Type`, override them. */
export class WithHeaders<T> {
  readonly result: T;
  readonly headers: Readonly<Record<string, string>>;

  constructor(result: T, headers: Readonly<Record<string, string>>) {
    this.result = result;
    this.headers = headers;
  }
}

type Access<R> = (collection: Collection) => Awaitable<R>;

/**
 * Reads or writes a document, or reads a page. Throws the error of `otherwise` if there is no document to return. What is read must
 * depend on this collection alone, because the response to a read is cached until the collection changes.
 */
export function stored<T>(collection: Collection, access: Access<Page>): Awaitable<Stored<T[]>>;
export function stored<T extends Properties>(collection: Collection, access: Access<Document>): Awaitable<Stored<T>>;
export function stored<T extends Properties>(
  collection: Collection,
  access: Access<Document | NotWritten | undefined>,
  otherwise: (outcome: NotWritten['outcome']) => Error,
): Awaitable<Stored<T>>;
export function stored(
  collection: Collection,
  access: Access<Document | Page | NotWritten | undefined>,
  otherwise?: (outcome: NotWritten['outcome']) => Error,
): Awaitable<Stored<unknown>> {
  // The version is read before the data. After a write in between, this version is outdated, so the next request reads again.
  const state = { collection, version: collection.version() };
  return whenRead(access(collection), (result) => {
    if (result && 'json' in result) return new Stored(result, state);
    throw otherwise?.(result?.outcome ?? 'missing');
  });
}

/** The handlers as an `Api`: each result is plain data. */
export function apiOf(handlers: Handlers): Api {
  const plain =
    (handler: (...input: never[]) => unknown) =>
    async (...input: never[]) => {
      const returned = await handler(...input);
      const result = returned instanceof WithHeaders ? returned.result : returned;
      return result instanceof Stored ? result.decode() : result;
    };
  // `fromEntries` loses the type of each function.
  return Object.fromEntries(Object.entries(handlers).map(([id, handler]) => [id, plain(handler)])) as unknown as Api;
}
