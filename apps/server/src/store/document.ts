import type { Operation, Schema } from '@petstore/types';
import type { JsonText, Page, Properties } from './store.ts';

/** What a store has to know about the documents of a collection. It knows none of their other properties. */
export interface CollectionDeclaration {
  readonly name: string;
  /** The property that carries the identifier. The store assigns it, ascending, and never twice. */
  readonly id: string;
  /** The properties that lists can filter by. Each should have few distinct values. */
  readonly indexes: readonly string[];
  /** What a document is, for those that are imported; without it, any object. */
  readonly schema?: Schema;
}

/** The collection behind a list operation: its cursor names the identifier, its other query parameters are filters. */
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

/** The properties of a document but for its identifier. */
export function withoutId(idProperty: string, properties: Properties): Properties {
  if (!(idProperty in properties)) return properties;
  const { [idProperty]: _, ...rest } = properties;
  return rest;
}

/** The text of a document: its identifier, then its other properties, which are given as JSON. */
export function withId(idProperty: string, id: number, body: string): string {
  return `{"${idProperty}":${id}${body === '{}' ? '' : ','}${body.slice(1)}`;
}

/** JSON on one line; a bigint becomes an integer with all its digits. */
export function encode(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, exactReplacer);
  }
}

/** Makes of a bigint an integer with all its digits, for `JSON.stringify`. */
export function exactReplacer(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? rawJSON(String(value)) : value;
}

/**
 * The document, or the list of them, that a text is; an integer that a number cannot hold exactly is a bigint. The caller
 * names its type: what is stored was validated before.
 */
export function decode<T = Properties>({ text, encoding }: JsonText): T {
  return decodeText(encoding === 'latin1' ? Buffer.from(text, 'latin1').toString() : text);
}

export function decodeText<T = Properties>(text: string): T {
  return /\d{16}/.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);
}

/** The documents of a page, each as its own text: a line feed inside of a document is always escaped. */
export function documentsIn({ json: { text, encoding }, count }: Pick<Page, 'json' | 'count'>): JsonText[] {
  return count === 0
    ? []
    : text
        .slice(1, -1)
        .split(',\n')
        .map((one) => ({ text: one, encoding }));
}

function exactInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source ?? '';
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

// TypeScript's library does not know it yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
