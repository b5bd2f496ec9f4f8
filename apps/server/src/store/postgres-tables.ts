import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { parseExact } from '@petstore/types';
import { type ClientBase, escapeIdentifier, escapeLiteral, type QueryConfig } from 'pg';
import { columnOf, columnText, filterList, Statement, tableOf } from './postgres-sql.ts';
import { type Declaration, filterText, StoreError } from './store.ts';

/** The number of the advisory lock. */
const LOCK = 0x70657473;
/** How many documents get their filters in one transaction. */
const FILL = 500;

/**
 * Creates the tables, columns and indexes that are missing. Servers that start together take turns;
 * those that run go on.
 */
export async function prepareTables(
  client: ClientBase,
  declarations: readonly Declaration[],
): Promise<void> {
  await checkEncoding(client);
  await checkFormat(client, declarations);
  await takeTurn(client);
  // A lock that is not there soon would make running servers wait, too.
  await client.query("SET lock_timeout = '3s'");
  await createSharedTables(client);
  for (const declaration of declarations) await prepareCollection(client, declaration);
  await client.query(`SELECT pg_advisory_unlock(${LOCK})`);
}

/** Fills the filters of documents that were written by a server without these filters. */
export async function fillFilters(client: ClientBase, declaration: Declaration): Promise<void> {
  if (declaration.filters.length === 0) return;
  let count = FILL;
  while (count === FILL) count = await fillSome(client, declaration);
}

/** Returns how many documents it has filled. They are locked for that moment only. */
async function fillSome(client: ClientBase, declaration: Declaration): Promise<number> {
  const { name } = declaration;
  await client.query('BEGIN');
  try {
    const { rows } = await client.query<{ id: string; json: string }>(`
      SELECT id, data::text AS json FROM ${tableOf(name)} WHERE ${unfilled(declaration)}
      ORDER BY id LIMIT ${FILL} FOR UPDATE`);
    if (rows.length > 0) await client.query(fillRows(declaration, rows));
    await client.query('COMMIT');
    return rows.length;
  } catch (error) {
    // The error says what is wrong; without a connection there is nothing to roll back.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

function fillRows(
  declaration: Declaration,
  rows: readonly { id: string; json: string }[],
): QueryConfig {
  const { name, filters } = declaration;
  const ids = rows.map(({ id }) => id);
  const documents = rows.map(({ json }) => parseExact(json));
  const columns = filters.map(columnOf);
  const statement = new Statement();
  const arrays = [statement.bind('bigint', ids)];
  for (const property of filters) {
    const values = documents.map((document) => columnText(filterText(document, property)));
    arrays.push(statement.bind('text', values));
  }
  const filled = columns.map((column) => `${column} = n.${column}`);
  // Servers with other filters have filled theirs, so those names stay.
  const text = `UPDATE ${tableOf(name)} d SET ${filled}, filters = d.filters || ${filterList(declaration)}
    FROM unnest(${arrays}) n (${['id', ...columns]}) WHERE d.id = n.id`;
  return { text, values: statement.values };
}

/** The condition for documents that some filter does not find yet. */
function unfilled(declaration: Declaration): string {
  return `NOT filters @> ${filterList(declaration)}`;
}

async function checkEncoding(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (encoding !== 'UTF8')
    throw new StoreError(
      `The database has the encoding ${encoding}; create one with ENCODING 'UTF8', and set DATABASE_URL to it.`,
    );
}

async function checkFormat(
  client: ClientBase,
  declarations: readonly Declaration[],
): Promise<void> {
  for (const { name } of declarations) {
    const columns = await columnsIn(client, tableOf(name));
    if (columns.length > 0 && !columns.includes('filters'))
      throw new StoreError(
        `The table ${tableOf(name)} has an earlier format. Nothing was changed; export the database with the earlier version, and import that into a new one.`,
      );
  }
}

/**
 * Waits without a statement that waits: that would hold a snapshot, for which an index that is
 * built waits.
 */
async function takeTurn(client: ClientBase): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(${LOCK}) AS taken`,
    );
    if (rows[0]?.taken) return;
    await pause(50);
  }
}

async function createSharedTables(client: ClientBase): Promise<void> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS petstore_counters (name text PRIMARY KEY, value bigint NOT NULL);
    CREATE TABLE IF NOT EXISTS petstore_request_keys (
      id text PRIMARY KEY, fingerprint text NOT NULL, status int NOT NULL, result text NOT NULL,
      made timestamptz NOT NULL DEFAULT now(),
      size int GENERATED ALWAYS AS (octet_length(result)) STORED);
    CREATE INDEX IF NOT EXISTS petstore_request_keys_made ON petstore_request_keys (made) INCLUDE (id, size)`);
}

async function prepareCollection(client: ClientBase, declaration: Declaration): Promise<void> {
  const { name, filters } = declaration;
  const table = tableOf(name);
  const before = await columnsIn(client, table);
  const isNew = before.length === 0;
  if (isNew) await createCollection(client, name);
  for (const property of filters)
    if (!before.includes(`by_${property}`))
      await client.query(`ALTER TABLE ${table} ADD COLUMN ${columnOf(property)} text`);
  if (filters.length === 0) return;
  // Servers with other filters look for other documents, by an index of their own.
  const id = hash('sha1', filters.toSorted().join()).slice(0, 8);
  const unfilledIndex = `petstore_${name}_unfilled_${id}`;
  await createIndex(client, isNew, unfilledIndex, `${table} (id) WHERE ${unfilled(declaration)}`);
  await fillFilters(client, declaration);
  for (const property of filters) {
    const index = `petstore_${name}_by_${property}`;
    await createIndex(client, isNew, index, `${table} (${columnOf(property)}, id)`);
  }
}

/** `filters` names the filters whose columns a document has. */
async function createCollection(client: ClientBase, name: string): Promise<void> {
  // The type json keeps the text as it is; jsonb would refuse U+0000.
  await client.query(`
    CREATE TABLE ${tableOf(name)} (id bigint PRIMARY KEY, data json NOT NULL, filters text[] NOT NULL);
    INSERT INTO petstore_counters VALUES (${escapeLiteral(name)}, 1) ON CONFLICT DO NOTHING`);
}

/** The columns of a table; none if there is no such table. */
async function columnsIn(client: ClientBase, table: string): Promise<string[]> {
  const { rows } = await client.query<{ attname: string }>(
    'SELECT attname FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0',
    [table],
  );
  return rows.map(({ attname }) => attname);
}

/** Creates an index if it is missing. On a table that is in use, writes go on meanwhile. */
async function createIndex(
  client: ClientBase,
  isNew: boolean,
  name: string,
  definition: string,
): Promise<void> {
  const index = escapeIdentifier(name);
  const { rows } = await client.query<{ indisvalid: boolean }>(
    'SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [index],
  );
  if (rows[0]?.indisvalid) return;
  // One that was interrupted is there, but not valid.
  await client.query(`DROP INDEX IF EXISTS ${index}`);
  const how = isNew ? '' : 'CONCURRENTLY';
  await client.query(`CREATE INDEX ${how} ${index} ON ${definition}`);
}
