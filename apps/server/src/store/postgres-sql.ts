import { hash } from 'node:crypto';
import { parseExact } from '@petstore/types';
import { type Client, escapeIdentifier, escapeLiteral } from 'pg';
import type { KeyRecord } from './request-keys.ts';
import { type Declaration, filterText, KEYS, MAX_PAGE_SIZE, type Query, StoreError } from './store.ts';
import type { Change } from './writes.ts';

/** A statement and its parameters. */
export interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

const table = ({ name }: Declaration) => escapeIdentifier(shortened(`petstore_${name}`));
const columnName = (property: string) => shortened(`by_${property}`);
const column = (property: string) => escapeIdentifier(columnName(property));

/** PostgreSQL cuts longer names, so different ones could become the same. */
function shortened(name: string): string {
  return Buffer.byteLength(name) <= 63 ? name : `petstore_${hash('sha256', name).slice(0, 32)}`;
}

/** The text of a filter's column. U+0000 and lone surrogates are escaped, which no text has; long values would fit into no index. */
function columnText(value: unknown): string | undefined {
  const text = filterText(value);
  if (text === undefined) return undefined;
  const escaped = JSON.stringify(text).slice(1, -1);
  return escaped.length <= 500 ? escaped : hash('sha256', escaped);
}

/** The row of a collection's next identifier. */
export const nextOf = (collection: string) => `next of ${collection}`;
/** How many idempotency keys there were, and the characters of their results. */
export const KEY_COUNT = 'keys';
export const KEY_SIZE = 'size of keys';

/** The number of the advisory lock. */
const LOCK = 0x70657473;

/** Creates the tables, columns and indexes that are missing, in one transaction. Servers that start together take turns. */
export async function migrate(client: Client, declarations: readonly Declaration[]): Promise<void> {
  const { rows: encoding } = await client.query('SHOW server_encoding');
  if (encoding[0].server_encoding !== 'UTF8')
    throw new StoreError(
      `The database has the encoding ${encoding[0].server_encoding}; create one with ENCODING 'UTF8', and set DATABASE_URL to it.`,
    );
  if (await isMigrated(client, declarations)) return;
  await client.query('BEGIN');
  await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
  if (!(await isMigrated(client, declarations))) {
    await client.query(`
      CREATE TABLE IF NOT EXISTS petstore_counters (name text PRIMARY KEY, value bigint NOT NULL);
      CREATE TABLE IF NOT EXISTS petstore_request_keys (
        id text PRIMARY KEY, fingerprint text NOT NULL, result text NOT NULL, made timestamptz NOT NULL DEFAULT now(),
        -- How many keys there were before it and with it, and the characters of their results.
        number bigint NOT NULL, size bigint NOT NULL);
      CREATE INDEX IF NOT EXISTS petstore_request_keys_number ON petstore_request_keys (number);
      INSERT INTO petstore_counters VALUES ('${KEY_COUNT}', 0), ('${KEY_SIZE}', 0) ON CONFLICT DO NOTHING`);
    for (const declaration of declarations) await migrateCollection(client, declaration);
  }
  await client.query('COMMIT');
}

async function migrateCollection(client: Client, declaration: Declaration): Promise<void> {
  const name = table(declaration);
  // The type json keeps the text as it is; jsonb would refuse U+0000.
  await client.query(`
    CREATE TABLE IF NOT EXISTS ${name} (id bigint PRIMARY KEY, data json NOT NULL);
    INSERT INTO petstore_counters VALUES (${escapeLiteral(nextOf(declaration.name))}, 1) ON CONFLICT DO NOTHING`);
  for (const property of declaration.filters) {
    const by = column(property);
    const index = escapeIdentifier(shortened(`petstore_${declaration.name}_by_${property}`));
    await client.query(`ALTER TABLE ${name} ADD COLUMN IF NOT EXISTS ${by} text`);
    for (let after = 0; ; ) {
      const page = `SELECT id, data::text FROM ${name} WHERE id > $1 ORDER BY id LIMIT 500`;
      const { rows } = await client.query<{ id: string; data: string }>(page, [after]);
      if (rows.length === 0) break;
      await client.query(
        `UPDATE ${name} d SET ${by} = n.value FROM unnest($1::bigint[], $2::text[]) n (id, value) WHERE d.id = n.id`,
        [rows.map(({ id }) => id), rows.map(({ data }) => columnText(propertyOf(parseExact(data), property)))],
      );
      after = Number(rows.at(-1)?.id);
    }
    await client.query(`CREATE INDEX IF NOT EXISTS ${index} ON ${name} (${by}, id)`);
  }
}

async function isMigrated(client: Client, declarations: readonly Declaration[]): Promise<boolean> {
  const conditions = declarations.flatMap((declaration) =>
    ['id', ...declaration.filters.map(columnName)].map(
      (name) =>
        `EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass(${escapeLiteral(table(declaration))})
           AND attname = ${escapeLiteral(name)})`,
    ),
  );
  const { rows } = await client.query(`SELECT ${['true', ...conditions].join(' AND ')} AS done`);
  return rows[0].done;
}

function propertyOf(document: unknown, property: string): unknown {
  return Object.getOwnPropertyDescriptor(document, property)?.value;
}

/**
 * Begins a commit. The locked rows make commits come one after the other, so identifiers become visible in order. A server that
 * vanishes holds them for some seconds only. Nothing limits COMMIT itself: a cancelled wait for a standby would look like a success.
 */
export const beginCommit = `
  BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL lock_timeout = '5s';
  SET LOCAL idle_in_transaction_session_timeout = '5s';
  SELECT name, value FROM petstore_counters ORDER BY name FOR UPDATE`;

/** The documents and the idempotency keys that a commit needs. */
export function selectForCommit(
  declarations: readonly Declaration[],
  ids: ReadonlyMap<string, readonly number[]>,
  keys: readonly string[],
): Statement {
  const values: unknown[] = [keys];
  const documents = declarations.flatMap((declaration) => {
    const wanted = ids.get(declaration.name);
    if (!wanted) return [];
    values.push(wanted);
    const name = escapeLiteral(declaration.name);
    return `UNION ALL SELECT ${name}, id::text, data::text, NULL, NULL FROM ${table(declaration)} WHERE id = ANY($${values.length}::bigint[])`;
  });
  const text = `SELECT NULL AS collection, id, result AS json, fingerprint, extract(epoch FROM made) * 1000 AS made
    FROM petstore_request_keys WHERE id = ANY($1::text[]) AND made > now() - interval '${KEYS.milliseconds} ms'
    ${documents.join(' ')}`;
  return { text, values };
}

/** All changes of a commit and the new counters in one statement. */
export function applyChanges(
  declarations: readonly Declaration[],
  changes: readonly Change[],
  keys: readonly (KeyRecord & { number: number; size: number })[],
  counters: ReadonlyMap<string, number>,
): Statement {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const parts: string[] = [];
  for (const declaration of declarations) {
    // The last change of each document counts.
    const last = new Map(
      changes.flatMap(({ collection, id, json }) => (collection === declaration.name ? [[id, json]] : [])),
    );
    const puts = [...last].filter((one): one is [number, string] => one[1] !== null);
    const removed = [...last].filter(([, json]) => json === null).map(([id]) => id);
    const name = table(declaration);
    if (removed.length > 0) parts.push(`DELETE FROM ${name} WHERE id = ANY(${bind(removed)}::bigint[])`);
    if (puts.length === 0) continue;
    const documents = declaration.filters.length > 0 ? puts.map(([, json]) => parseExact(json)) : [];
    const columns = ['data', ...declaration.filters.map(column)];
    const texts = declaration.filters.map(
      (property) => `${bind(documents.map((document) => columnText(propertyOf(document, property)) ?? null))}::text[]`,
    );
    const [ids, data] = [bind(puts.map(([id]) => id)), bind(puts.map(([, json]) => json))];
    parts.push(`INSERT INTO ${name} (id, ${columns})
      SELECT * FROM unnest(${[`${ids}::bigint[]`, `${data}::json[]`, ...texts]})
      ON CONFLICT (id) DO UPDATE SET ${columns.map((one) => `${one} = excluded.${one}`)}`);
  }
  if (keys.length > 0) {
    const bindAll = (property: keyof (typeof keys)[number]) => bind(keys.map((one) => one[property]));
    // A key that is there has expired.
    parts.push(`INSERT INTO petstore_request_keys (id, fingerprint, result, number, size)
      SELECT * FROM unnest(${bindAll('id')}::text[], ${bindAll('fingerprint')}::text[], ${bindAll('json')}::text[],
        ${bindAll('number')}::bigint[], ${bindAll('size')}::bigint[])
      ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, result = excluded.result, made = now(),
        number = excluded.number, size = excluded.size`);
  }
  const text = `${parts.map((part, i) => `${i === 0 ? 'WITH' : ','} part${i} AS (${part})`).join('\n')}
    UPDATE petstore_counters c SET value = n.value
    FROM unnest(${bind([...counters.keys()])}::text[], ${bind([...counters.values()])}::bigint[]) n (name, value)
    WHERE c.name = n.name`;
  return { text, values };
}

export const FORGET_COUNT = 500;

/** Deletes keys that are expired or too many, a portion at a time. Returns for each whether it was before its time. */
export function forgetKeys(count: number, size: number): Statement {
  return {
    text: `DELETE FROM petstore_request_keys WHERE id IN (
        SELECT id FROM (SELECT * FROM petstore_request_keys ORDER BY number LIMIT ${FORGET_COUNT} FOR UPDATE SKIP LOCKED) oldest
        WHERE number <= $1 OR size <= $2 OR made <= now() - interval '${KEYS.milliseconds} ms')
      RETURNING made > now() - interval '${KEYS.milliseconds} ms' AS early`,
    values: [count - KEYS.count, size - KEYS.size],
  };
}

export function selectDocuments(declaration: Declaration, ids: readonly number[]): Statement {
  return {
    text: `SELECT id, data::text AS json FROM ${table(declaration)} WHERE id = ANY($1::bigint[])`,
    values: [ids],
  };
}

/** A row for each page, in order: the JSON of its documents, the last identifier, and whether there are more documents. */
export function selectPages(
  declaration: Declaration,
  property: string | undefined,
  pages: readonly Query[],
): Statement {
  const condition = property === undefined ? '' : `AND ${column(property)} = query.value`;
  return {
    text: `SELECT page.* FROM unnest($1::bigint[], $2::int[], $3::text[]) WITH ORDINALITY query (after, lim, value, number),
      LATERAL (
        SELECT string_agg(json, ',' ORDER BY id) FILTER (WHERE fits) AS json, max(id) FILTER (WHERE fits) AS last,
          bool_or(NOT fits) AS more
        FROM (
          SELECT id, json, row_number() OVER w <= query.lim AND sum(length(json)) OVER w - length(json) < ${MAX_PAGE_SIZE} AS fits
          FROM (
            SELECT id, data::text AS json FROM ${table(declaration)}
            WHERE id > query.after ${condition} ORDER BY id LIMIT query.lim + 1
          ) documents
          WINDOW w AS (ORDER BY id ROWS UNBOUNDED PRECEDING)
        ) measured
      ) page
      ORDER BY query.number`,
    values: [
      pages.map(({ after }) => after),
      pages.map(({ limit }) => limit),
      pages.map(({ filter }) => columnText(filter?.value) ?? null),
    ],
  };
}
