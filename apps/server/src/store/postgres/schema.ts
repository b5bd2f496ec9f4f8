import { createHash } from 'node:crypto';
import { escapeIdentifier, escapeLiteral } from 'pg';
import { type CollectionDeclaration, encode } from '../document.ts';
import { carryOver, isCarriedOver } from './format-1.ts';

/** The table of a collection's documents. */
export const tableOf = (collection: string) => `documents_${collection}`;

/** The expression for the key of a property, by which documents are indexed. */
export const keyColumn = (property: string) => `petstore_key(data, ${escapeLiteral(property)})`;

/** The key that petstore_key returns for this value. */
export function keyOf(value: unknown): string {
  const key = encode(value).replaceAll('\\\\', '\\\\s').replaceAll('\\u', '\\\\u');
  return Buffer.byteLength(key) <= MAX_KEY_BYTES ? key : createHash('sha256').update(key).digest('hex');
}

/** An index of PostgreSQL takes keys of up to 2,700 bytes. */
const MAX_KEY_BYTES = 1000;

/** A change of the schema, and a condition that holds once it was made. */
export interface Step {
  readonly isDone: string;
  readonly statements: readonly string[];
}

/**
 * The schema, as steps that only ever add to it, so that servers of the version before can go on. Each may be interrupted
 * and run again.
 */
export function schemaOf(collections: readonly CollectionDeclaration[]): Step[] {
  const tables = collections.map(({ name }) => tableStep(name));
  const indexes = collections.flatMap(({ name, indexes }) => indexes.map((property) => indexStep(name, property)));
  return [base, idempotency, ...tables, { isDone: isCarriedOver, statements: [carryOver] }, ...indexes];
}

const exists = (relation: string) => `to_regclass(${escapeLiteral(escapeIdentifier(relation))}) IS NOT NULL`;

const base: Step = {
  isDone: exists('petstore_commits'),
  statements: [
    // Servers of the version before change nothing where they find a version that is not older than theirs.
    'INSERT INTO petstore_migrations (version) VALUES (2) ON CONFLICT DO NOTHING',
    // The identifier that each collection gave out last, in the row that every commit takes its turn on.
    `CREATE TABLE IF NOT EXISTS petstore_collections (
       name text PRIMARY KEY,
       last bigint NOT NULL CHECK (last BETWEEN 0 AND 9007199254740991)
     )`,
    // The JSON text of a property. PostgreSQL reads no document that has \u0000 or half of a surrogate pair in any of its
    // strings, so escapes are escaped before, each in a way of its own.
    `CREATE OR REPLACE FUNCTION petstore_key(data json, property text) RETURNS text
     LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
     DECLARE
       escaped json := replace(replace(data::text, E'\\\\\\\\', E'\\\\\\\\s'), E'\\\\u', E'\\\\\\\\u');
       key text := coalesce((escaped -> property)::text, 'null');
     BEGIN
       RETURN CASE WHEN octet_length(key) <= ${MAX_KEY_BYTES} THEN key ELSE encode(sha256(convert_to(key, 'UTF8')), 'hex') END;
     END $$`,
    // The last commit of each writer: its number, the identifier before those it gave out, the versions that it found.
    `CREATE TABLE IF NOT EXISTS petstore_commits (
       writer text PRIMARY KEY,
       number bigint NOT NULL,
       before bigint,
       versions bigint[],
       at timestamptz NOT NULL DEFAULT now()
     )`,
  ],
};

/** The keys of idempotent writes, numbered in their order, with the result of each: no document for a removal. */
const idempotency: Step = {
  isDone: exists('petstore_idempotency'),
  statements: [
    `CREATE TABLE IF NOT EXISTS petstore_idempotency (
       key text COLLATE "C" PRIMARY KEY,
       number bigint NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
       fingerprint text NOT NULL,
       at timestamptz NOT NULL DEFAULT now(),
       id bigint NOT NULL,
       version bigint NOT NULL,
       document text
     )`,
  ],
};

function tableStep(name: string): Step {
  return {
    isDone: exists(tableOf(name)),
    statements: [
      `INSERT INTO petstore_collections (name, last) VALUES (${escapeLiteral(name)}, 0) ON CONFLICT DO NOTHING`,
      // Its text is stored as it was given, which jsonb would not do. Its size is beside it so that pages can be cut without reading it.
      `CREATE TABLE IF NOT EXISTS ${escapeIdentifier(tableOf(name))} (
         id bigint PRIMARY KEY,
         version bigint NOT NULL,
         bytes integer NOT NULL,
         data json NOT NULL
       )`,
    ],
  };
}

function indexStep(name: string, property: string): Step {
  const [index, table] = [`${tableOf(name)}_by_${property}`, tableOf(name)].map(escapeIdentifier) as [string, string];
  return {
    isDone: `EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass(${escapeLiteral(index)}) AND indisvalid)`,
    // Writes go on meanwhile. An index whose making was interrupted is there, but not valid.
    statements: [
      `DROP INDEX IF EXISTS ${index}`,
      `CREATE INDEX CONCURRENTLY ${index} ON ${table} (${keyColumn(property)}, id)`,
    ],
  };
}
