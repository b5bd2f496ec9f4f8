import { exactJson, type Operation, parseExact, type Schema } from '../old.ts';
import type { Awaitable, Document, JsonText, NotWritten, Page, Properties } from './store.ts';

/** Describes the documents of a collection to a store, which knows no other property of them. */
export interface CollectionDeclaration {
  readonly name: string;
  /** The property with the identifier. The store assigns identifiers in ascending order, and never assigns an identifier twice. */
  readonly id: string;
  /** The properties that lists can filter by. Each should have few distinct values. */
  readonly indexes: readonly string[];
  /** The schema of imported documents; without it, any object is valid. */
  readonly schema?: Schema;
}

/** The highest identifier. PostgreSQL's schema has the same bound. */
export const MAX_ID = Number.MAX_SAFE_INTEGER;

/** The collection of a list operation. Its identifier is the pagination's `key`; the query parameters except cursor and limit are its indexes. */
export function collectionOf(
  name: string,
  { pagination, fields, responses, success }: Pick<Operation, 'pagination' | 'fields' | 'responses' | 'success'>,
): CollectionDeclaration {
  const { key, cursor, limit } = pagination ?? {};
  if (key === undefined) throw new Error(`The collection '${name}' needs a list operation that is paged by a key.`);
  const paging = [cursor, limit];
  const filters = Object.keys(fields).filter((field) => fields[field]?.in === 'query' && !paging.includes(field));
  const schema = responses[String(success)]?.schema?.items;
  return { name, id: key, indexes: filters, ...(schema && { schema }) };
}

/** Calls `use` with a value: now if it is in memory, else when its promise resolves. */
export function whenRead<T, R>(read: Awaitable<T>, use: (value: T) => Awaitable<R>): Awaitable<R> {
  return read instanceof Promise ? read.then(use) : use(read);
}

/** Finds a collection by its name. Throws for a name that was not declared. */
export function collectionNamed<C>(collections: ReadonlyMap<string, C>, name: string): C {
  const found = collections.get(name);
  if (found === undefined) throw new Error(`There is no collection '${name}'.`);
  return found;
}

/** The reason why a write to a document with this version has no effect; undefined if the write is possible. */
export function obstacleTo(version: string | undefined, ifVersion: string | undefined): NotWritten | undefined {
  if (version === undefined) return { outcome: 'missing' };
  return ifVersion === undefined || ifVersion === version ? undefined : { outcome: 'conflict' };
}

/** The value by which a document is indexed: null if it lacks the property. Inherited properties like `constructor` do not count. */
export function indexedValue(properties: Properties, name: string): unknown {
  return Object.hasOwn(properties, name) ? (properties[name] ?? null) : null;
}

/** The JSON of the properties of a document without its identifier. */
export function encodeBody(idProperty: string, properties: Properties): string {
  if (!Object.hasOwn(properties, idProperty)) return exactJson(properties);
  const { [idProperty]: _, ...rest } = properties;
  return exactJson(rest);
}

/** The text of a document: its identifier, then the properties of its body. */
export function withId(idProperty: string, id: number, body: string): string {
  return `{"${idProperty}":${id}${body === '{}' ? '' : ','}${body.slice(1)}`;
}

/** A document as the stores return it. */
export function storedDocument(id: number, version: string, text: string, encoding: JsonText['encoding']): Document {
  return { outcome: 'stored', id, version, json: { text, encoding } };
}

/**
 * Parses a document or a list of documents. An integer that a number cannot hold exactly becomes a bigint. The caller names
 * the type, because stored documents were validated.
 */
export function decode<T = Properties>({ text, encoding }: JsonText): T {
  return decodeText(encoding === 'latin1' ? Buffer.from(text, 'latin1').toString() : text);
}

export function decodeText<T = Properties>(text: string): T {
  return parseExact(text) as T;
}

/** The documents of a page, each as its text. The separator occurs in no document, because line feeds in strings are escaped. */
export function documentsIn({ json: { text, encoding }, count }: Pick<Page, 'json' | 'count'>): JsonText[] {
  return count === 0
    ? []
    : text
        .slice(1, -1)
        .split(',\n')
        .map((document) => ({ text: document, encoding }));
}
