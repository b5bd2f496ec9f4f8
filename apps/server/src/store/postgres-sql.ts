import { hash } from 'node:crypto';
import { parseExact } from '@petstore/types';
import { type Client, escapeIdentifier, type QueryConfig } from 'pg';
import type { Plan } from './create-store.ts';
import { type Declaration, filterText, KEYS, type Query, StoreError } from './store.ts';

const table = (collection: string) => escapeIdentifier(`petstore_${collection}`);
const column = (property: string) => escapeIdentifier(`by_${property}`);

/** The text of a filter's column. U+0000 and lone surrogates are escaped, which no text has; long values would fit into no index. */
function columnText(text: string | undefined): string | null {
  if (text === undefined) return null;
  const escaped = JSON.stringify(text).slice(1, -1);
  return escaped.length <= 500 ? escaped : hash('sha256', escaped);
}

/** The number of the advisory lock. */
const LOCK = 0x70657473;

/** Creates the tables, columns and indexes that are missing, in one transaction. Servers that start together take turns. */
export async function migrate(client: Client, declarations: readonly Declaration[]): Promise<void> {
  const [{ server_encoding: encoding }] = (await client.query('SHOW server_encoding')).rows;
  if (encoding !== 'UTF8')
    throw new StoreError(
      `The database has the encoding ${encoding}; create one with ENCODING 'UTF8', and set DATABASE_URL to it.`,
    );
  await client.query(`
    BEGIN;
    SELECT pg_advisory_xact_lock(${LOCK});
    CREATE TABLE IF NOT EXISTS petstore_counters (name text PRIMARY KEY, value bigint NOT NULL);
    CREATE TABLE IF NOT EXISTS petstore_request_keys (
      id text PRIMARY KEY, fingerprint text NOT NULL, result text NOT NULL, made timestamptz NOT NULL DEFAULT now(),
      size int GENERATED ALWAYS AS (octet_length(result)) STORED);
    ALTER TABLE petstore_request_keys ADD COLUMN IF NOT EXISTS status int;
    CREATE INDEX IF NOT EXISTS petstore_request_keys_made ON petstore_request_keys (made) INCLUDE (id, size)`);
  for (const declaration of declarations) {
    const name = table(declaration.name);
    // The type json keeps the text as it is; jsonb would refuse U+0000.
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${name} (id bigint PRIMARY KEY, data json NOT NULL)`,
    );
    await client.query('INSERT INTO petstore_counters VALUES ($1, 1) ON CONFLICT DO NOTHING', [
      declaration.name,
    ]);
    const columns = 'SELECT attname FROM pg_attribute WHERE attrelid = to_regclass($1)';
    const { rows } = await client.query<{ attname: string }>(columns, [name]);
    for (const property of declaration.filters)
      if (!rows.some(({ attname }) => attname === `by_${property}`))
        await addFilter(client, declaration, property);
  }
  await client.query('COMMIT');
}

async function addFilter(client: Client, { name }: Declaration, property: string): Promise<void> {
  const by = column(property);
  await client.query(`ALTER TABLE ${table(name)} ADD COLUMN ${by} text`);
  for (let after = 0; ; ) {
    const page = `SELECT id, data::text FROM ${table(name)} WHERE id > $1 ORDER BY id LIMIT 500`;
    const { rows } = await client.query<{ id: string; data: string }>(page, [after]);
    if (rows.length === 0) break;
    const update = `UPDATE ${table(name)} d SET ${by} = n.value FROM unnest($1::bigint[], $2::text[]) n (id, value) WHERE d.id = n.id`;
    const values = rows.map(({ data }) => columnText(filterText(parseExact(data), property)));
    await client.query(update, [rows.map(({ id }) => id), values]);
    after = Number(rows.at(-1)?.id);
  }
  await client.query(
    `CREATE INDEX ${escapeIdentifier(`petstore_${name}_by_${property}`)} ON ${table(name)} (${by}, id)`,
  );
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

/** All changes of a commit and the next identifiers in one statement. */
export function applyChanges(
  declarations: readonly Declaration[],
  { changes, nextIds }: Plan,
): QueryConfig {
  const values: unknown[] = [];
  const bind = (array: unknown[], type: string) => `$${values.push(array)}::${type}[]`;
  const parts: string[] = [];
  for (const { name, filters } of declarations) {
    const own = changes.filter(({ collection }) => collection === name);
    // The last change of each document counts.
    const last = [...new Map(own.map((change) => [change.id, change])).values()];
    const removed = last.filter(({ json }) => json === null).map(({ id }) => id);
    if (removed.length > 0)
      parts.push(`DELETE FROM ${table(name)} WHERE id = ANY(${bind(removed, 'bigint')})`);
    const put = last.filter(({ json }) => json !== null);
    if (put.length === 0) continue;
    const ids = put.map(({ id }) => id);
    const data = put.map(({ json }) => json);
    const texts = filters.map((property) =>
      put.map(({ document }) => columnText(filterText(document, property))),
    );
    const arrays = [
      bind(ids, 'bigint'),
      bind(data, 'json'),
      ...texts.map((array) => bind(array, 'text')),
    ];
    const columns = ['data', ...filters.map(column)];
    parts.push(`INSERT INTO ${table(name)} (id, ${columns}) SELECT * FROM unnest(${arrays})
      ON CONFLICT (id) DO UPDATE SET ${columns.map((one) => `${one} = excluded.${one}`)}`);
  }
  const keys = changes.flatMap(({ key }) => key ?? []);
  // A key that is there has expired.
  if (keys.length > 0) {
    const arrays = [
      bind(
        keys.map(({ id }) => id),
        'text',
      ),
      bind(
        keys.map(({ fingerprint }) => fingerprint),
        'text',
      ),
      bind(
        keys.map(({ json }) => json),
        'text',
      ),
      bind(
        keys.map(({ status }) => status),
        'int',
      ),
      bind(
        keys.map(({ made }) => new Date(made).toISOString()),
        'timestamptz',
      ),
    ];
    parts.push(`INSERT INTO petstore_request_keys (id, fingerprint, result, status, made)
      SELECT * FROM unnest(${arrays})
      ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, result = excluded.result,
        status = excluded.status, made = excluded.made`);
  }
  const [names, next] = [bind([...nextIds.keys()], 'text'), bind([...nextIds.values()], 'bigint')];
  const text = `${parts.map((part, i) => `${i === 0 ? 'WITH' : ','} part${i} AS (${part})`).join('')}
    UPDATE petstore_counters c SET value = n.value FROM unnest(${names}, ${next}) n (name, value) WHERE c.name = n.name`;
  return { text, values };
}

/** When a key that expires now was made. */
const expiry = (now: number) => new Date(now - KEYS.milliseconds).toISOString();

/** Statements with a name are prepared once for each connection. */
export function selectKeys(ids: readonly string[], now: number): QueryConfig {
  const text = `SELECT id, result AS json, fingerprint, status, extract(epoch FROM made) * 1000 AS made
    FROM petstore_request_keys WHERE id = ANY($1::text[]) AND made > $2 AND status IS NOT NULL`;
  return { name: 'keys', text, values: [ids, expiry(now)] };
}

/** Deletes the idempotency keys that are expired or too many. Returns for each whether it was before its time. */
export function forgetKeys(now: number): QueryConfig {
  const text = `
  DELETE FROM petstore_request_keys WHERE id IN (
    SELECT id FROM (
      SELECT id, made, row_number() OVER newer AS count, sum(size) OVER newer AS size FROM petstore_request_keys
      WINDOW newer AS (ORDER BY made DESC ROWS UNBOUNDED PRECEDING)
    ) keys
    WHERE count > ${KEYS.count} OR size > ${KEYS.size} OR made <= $1)
  RETURNING made > $1 AS early`;
  return { text, values: [expiry(now)] };
}

export const selectNextId = 'SELECT value FROM petstore_counters WHERE name = $1';

export function selectDocuments(name: string, ids: readonly number[]): QueryConfig {
  const text = `SELECT id, data::text AS json FROM ${table(name)} WHERE id = ANY($1::bigint[])`;
  return { name: `get ${name}`, text, values: [ids] };
}

/**
 * The documents of a page and one more. Those of more than 64 KiB have no JSON: they are read one by one, so that a page is never
 * much longer than it may be.
 */
export function selectPage(name: string, { after, limit, filters = {} }: Query): QueryConfig {
  const properties = Object.keys(filters);
  const conditions = properties.map((property, i) => `AND ${column(property)} = $${i + 3}`);
  return {
    name: `list ${name} ${properties}`,
    text: `SELECT id, CASE WHEN octet_length(data::text) <= 65536 THEN data::text END AS json
      FROM ${table(name)} WHERE id > $1 ${conditions.join(' ')} ORDER BY id LIMIT $2`,
    values: [after, limit + 1, ...Object.values(filters).map(columnText)],
  };
}
