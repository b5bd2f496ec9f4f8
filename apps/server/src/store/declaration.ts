import type { Operation, Schema } from '@petstore/types';

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
