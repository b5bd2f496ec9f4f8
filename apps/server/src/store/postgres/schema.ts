import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { escapeIdentifier, escapeLiteral } from 'pg';
import { exactJson } from '../../old.ts';
import type { CollectionDeclaration } from '../document.ts';
import type { Session } from './session.ts';

/** PostgreSQL cuts longer names off, so different names could become the same. */
const MAX_NAME_BYTES = 63;

/** The name of a table, index or statement in PostgreSQL: a hash of the name if the name is too long. */
export function nameInDatabase(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  return `petstore_${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}

/** The table of a collection's documents. */
export const tableOf = (collection: string) => nameInDatabase(`documents_${collection}`);

/** The SQL expression of the key by which documents are indexed. */
export const keyExpression = (property: string) => `petstore_key(data, ${escapeLiteral(property)})`;

/** The key of a value, as petstore_key returns it in the database. */
export function keyOf(value: unknown): string {
  const key = exactJson(value).replaceAll('\\\\', '\\\\s').replaceAll('\\u', '\\\\u');
  return Buffer.byteLength(key) <= MAX_KEY_BYTES ? key : createHash('sha256').update(key).digest('hex');
}

/** Longer keys are replaced by their hash. PostgreSQL's indexes accept at most 2,700 bytes. */
const MAX_KEY_BYTES = 1000;

/** A change of the schema. */
export interface Step {
  /** An SQL condition that is true once the change was made. */
  readonly isDone: string;
  readonly statements: readonly string[];
}

/**
 * The steps that create the schema. Servers of the previous version continue to work: a step only adds to the schema, or replaces tables
 * by views with the same names. Each step can be interrupted and run again.
 */
export function schemaOf(collections: readonly CollectionDeclaration[]): Step[] {
  const tables = collections.map(({ name }) => tableStep(name));
  const indexes = collections.flatMap(({ name, indexes }) => indexes.map((property) => indexStep(name, property)));
  return [base, idempotency, ...tables, ...indexes];
}

/** The number of the advisory lock. Other programs must not use it in this database. */
const LOCK = 0x70657473;

/**
 * The time for one statement, and the time to wait for another server's migration. It is long, because one statement may build an
 * index of many millions of documents.
 */
export const MAX_MIGRATION_MS = 3_600_000;

/**
 * Brings the schema up to date. Servers that start together take turns under a lock, which ends with the connection of its
 * owner. If nothing has to change, the server needs no permission to change the schema.
 */
export async function migrate(session: Session, steps: readonly Step[], waitMs = MAX_MIGRATION_MS): Promise<void> {
  const run = async (text: string) => (await session.write({ text }, MAX_MIGRATION_MS)).rows;
  const pending = async () => {
    const [row = []] = await run(`SELECT ${steps.map(({ isDone }) => isDone).join(', ')}`);
    return steps.filter((_, i) => row[i] !== true);
  };
  if ((await pending()).length === 0) return;

  const deadline = performance.now() + waitMs;
  while ((await run(`SELECT pg_try_advisory_lock(${LOCK})`))[0]?.[0] !== true) {
    if (performance.now() > deadline) throw new Error('another server has been migrating for too long');
    await pause(50);
  }
  await run(`CREATE TABLE IF NOT EXISTS petstore_migrations (
    version bigint PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
  )`);
  for (const { statements } of await pending()) for (const statement of statements) await run(statement);
  await run(`SELECT pg_advisory_unlock(${LOCK})`);
}

const exists = (relation: string) => `to_regclass(${escapeLiteral(escapeIdentifier(relation))}) IS NOT NULL`;

const base: Step = {
  isDone: exists('petstore_commits'),
  statements: [
    // Servers of the previous version leave the schema alone if the database's version is not older than theirs.
    'INSERT INTO petstore_migrations (version) VALUES (2) ON CONFLICT DO NOTHING',
    // The last assigned identifier of each collection. A commit locks its collection's row.
    `CREATE TABLE IF NOT EXISTS petstore_collections (
       name text PRIMARY KEY,
       last bigint NOT NULL CHECK (last BETWEEN 0 AND 9007199254740991)
     )`,
    // The JSON text of a property. PostgreSQL cannot parse a document with \u0000 or a lone surrogate in one of its strings, so
    // backslashes and Unicode escapes are escaped first, as `keyOf` does.
    `CREATE OR REPLACE FUNCTION petstore_key(data json, property text) RETURNS text
     LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
     DECLARE
       escaped json := replace(replace(data::text, E'\\\\\\\\', E'\\\\\\\\s'), E'\\\\u', E'\\\\\\\\u');
       key text := coalesce((escaped -> property)::text, 'null');
     BEGIN
       RETURN CASE WHEN octet_length(key) <= ${MAX_KEY_BYTES} THEN key ELSE encode(sha256(convert_to(key, 'UTF8')), 'hex') END;
     END $$`,
    // The last commit of each writer: its number, the last identifier before the commit, and the versions that it found.
    `CREATE TABLE IF NOT EXISTS petstore_commits (
       writer text PRIMARY KEY,
       number bigint NOT NULL,
       before bigint,
       versions bigint[],
       at timestamptz NOT NULL DEFAULT now()
     )`,
  ],
};

/** The keys of idempotent writes, numbered in order, and the results of these writes: no document for a removal. */
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
      // The type json stores the text unchanged; jsonb would not. The size is a column, so a page ends without reading further
      // documents.
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
  const table = escapeIdentifier(tableOf(name));
  const index = escapeIdentifier(nameInDatabase(`${tableOf(name)}_by_${property}`));
  return {
    isDone: `EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass(${escapeLiteral(index)}) AND indisvalid)`,
    // CONCURRENTLY lets writes continue. An interrupted statement leaves an invalid index, which has to be dropped first.
    statements: [
      `DROP INDEX IF EXISTS ${index}`,
      `CREATE INDEX CONCURRENTLY ${index} ON ${table} (${keyExpression(property)}, id)`,
    ],
  };
}
