import { hash } from 'node:crypto';
import { escapeIdentifier, escapeLiteral, type QueryConfig } from 'pg';
import type { Change, CommitPlan, KeyRecord } from './commit-plan.ts';
import { type Declaration, filterText, KEYS, MAX_PAGE_SIZE, type Query } from './store.ts';

export const tableOf = (collection: string) => escapeIdentifier(`petstore_${collection}`);
export const columnOf = (property: string) => escapeIdentifier(`by_${property}`);

/** The text of a filter's column. U+0000 and lone surrogates are escaped, which no text has; long values would fit into no index. */
export function columnText(text: string | undefined): string | null {
  if (text === undefined) return null;
  const escaped = JSON.stringify(text).slice(1, -1);
  return escaped.length <= 500 ? escaped : hash('sha256', escaped);
}

/** The names of filters as an array of SQL. */
export function filterList({ filters }: Pick<Declaration, 'filters'>): string {
  const names = filters.toSorted().map((name) => escapeLiteral(name));
  return `ARRAY[${names}]::text[]`;
}

/**
 * Begins a commit. The locked rows make commits to a collection come one after the other, so identifiers become visible in order. A
 * server that vanishes holds them for some seconds only. Nothing limits COMMIT itself: a cancelled wait for a standby would look
 * like a success.
 */
export function beginCommit(collections: readonly string[]): string {
  const names = collections.map((name) => escapeLiteral(name));
  return `
    BEGIN ISOLATION LEVEL READ COMMITTED;
    SET LOCAL lock_timeout = '5s';
    SET LOCAL idle_in_transaction_session_timeout = '5s';
    SELECT name, value FROM petstore_counters WHERE name IN (${names}) ORDER BY name FOR UPDATE`;
}

/**
 * All changes of a commit and the next identifiers in one statement. It returns a row for each idempotency key that it saves: one
 * that another server has saved meanwhile is not.
 */
export function applyChanges(
  declarations: readonly Declaration[],
  { changes, nextIds }: CommitPlan,
  now: number,
): QueryConfig {
  const statement = new Statement();
  const parts: string[] = [];
  for (const declaration of declarations) {
    const last = lastChanges(changes, declaration.name);
    const removals = last.filter(({ kind }) => kind === 'remove');
    const puts = last.filter((change) => change.kind === 'put');
    if (removals.length > 0) parts.push(deleteDocuments(statement, declaration, removals));
    if (puts.length > 0) parts.push(putDocuments(statement, declaration, puts));
  }
  const keys = keysOf(changes);
  const counters = updateCounters(statement, nextIds);
  if (keys.length > 0) parts.push(counters);
  const last = keys.length > 0 ? insertKeys(statement, keys, now) : counters;
  const named = parts.map((part, i) => `part${i} AS (${part})`);
  const text = named.length > 0 ? `WITH ${named.join(', ')} ${last}` : last;
  return { text, values: statement.values };
}

type Put = Extract<Change, { kind: 'put' }>;
type DocumentChange = Exclude<Change, { kind: 'key' }>;

/** The values that are bound to a statement. */
class Statement {
  readonly values: unknown[] = [];

  /** Binds an array. Returns the parameter. */
  bind(array: readonly unknown[], type: string): string {
    this.values.push(array);
    return `$${this.values.length}::${type}[]`;
  }
}

function deleteDocuments(
  statement: Statement,
  { name }: Declaration,
  removals: readonly DocumentChange[],
): string {
  const ids = removals.map(({ id }) => id);
  return `DELETE FROM ${tableOf(name)} WHERE id = ANY(${statement.bind(ids, 'bigint')})`;
}

function putDocuments(
  statement: Statement,
  declaration: Declaration,
  puts: readonly Put[],
): string {
  const { name, filters } = declaration;
  const ids = puts.map(({ id }) => id);
  const texts = puts.map(({ json }) => json);
  const arrays = [statement.bind(ids, 'bigint'), statement.bind(texts, 'json')];
  for (const property of filters) {
    const values = puts.map(({ document }) => columnText(filterText(document, property)));
    arrays.push(statement.bind(values, 'text'));
  }
  const columns = ['data', ...filters.map(columnOf)];
  const replaced = [...columns, 'filters'].map((one) => `${one} = excluded.${one}`);
  return `INSERT INTO ${tableOf(name)} (id, ${columns}, filters)
    SELECT *, ${filterList(declaration)} FROM unnest(${arrays})
    ON CONFLICT (id) DO UPDATE SET ${replaced}`;
}

function updateCounters(statement: Statement, nextIds: ReadonlyMap<string, number>): string {
  const names = statement.bind([...nextIds.keys()], 'text');
  const values = statement.bind([...nextIds.values()], 'bigint');
  return `UPDATE petstore_counters c SET value = n.value
    FROM unnest(${names}, ${values}) n (name, value) WHERE c.name = n.name`;
}

/** A key that is there has expired, or another server has saved it meanwhile. */
function insertKeys(statement: Statement, keys: readonly KeyRecord[], now: number): string {
  // In one order, so that no two servers wait for each other.
  const sorted = keys.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const arrays = [
    statement.bind(columnIn(sorted, 'id'), 'text'),
    statement.bind(columnIn(sorted, 'fingerprint'), 'text'),
    statement.bind(columnIn(sorted, 'status'), 'int'),
    statement.bind(columnIn(sorted, 'json'), 'text'),
  ];
  const times = statement.bind([timestampOf(now), expiry(now)], 'timestamptz');
  return `INSERT INTO petstore_request_keys AS k (id, fingerprint, status, result, made)
    SELECT *, (${times})[1] FROM unnest(${arrays})
    ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
      result = excluded.result, made = excluded.made
    WHERE k.made <= (${times})[2] OR k.status IS NULL
    RETURNING 1`;
}

function columnIn<Name extends keyof KeyRecord>(keys: readonly KeyRecord[], name: Name) {
  return keys.map((key) => key[name]);
}

/** The last change of each document of a collection: the one that counts. */
function lastChanges(changes: readonly Change[], collection: string): DocumentChange[] {
  const last = new Map<number, DocumentChange>();
  for (const change of changes)
    if (change.kind !== 'key' && change.collection === collection) last.set(change.id, change);
  return [...last.values()];
}

export function keysOf(changes: readonly Change[]): KeyRecord[] {
  const keys: KeyRecord[] = [];
  for (const change of changes) if (change.kind !== 'remove' && change.key) keys.push(change.key);
  return keys;
}

const timestampOf = (milliseconds: number) => new Date(milliseconds).toISOString();

/** When a key that expires now was made. */
const expiry = (now: number) => timestampOf(now - KEYS.milliseconds);

/** Statements with a name are prepared once for each connection. */
export function selectKeys(ids: readonly string[], now: number): QueryConfig {
  const text = `
    SELECT id, fingerprint, status, (extract(epoch FROM made) * 1000)::float8 AS made, result AS json
    FROM petstore_request_keys WHERE id = ANY($1::text[]) AND made > $2 AND status IS NOT NULL`;
  return { name: 'keys', text, values: [ids, expiry(now)] };
}

/** Whether a key has expired. It reads one row of an index. */
export function selectExpired(now: number): QueryConfig {
  const text = 'SELECT 1 FROM petstore_request_keys WHERE made <= $1 LIMIT 1';
  return { name: 'expired', text, values: [expiry(now)] };
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
  const text = `SELECT id, data::text AS json FROM ${tableOf(name)} WHERE id = ANY($1::bigint[])`;
  return { name: `get ${name}`, text, values: [ids] };
}

/** A longer document is read alone, so that a page is never much longer than it may be. */
const LARGE_DOCUMENT = 2 ** 16;
const SMALL_TEXT = `CASE WHEN octet_length(data::text) <= ${LARGE_DOCUMENT} THEN data::text END`;

/**
 * The pages of several queries with the same filters, a row for each: the documents, the identifier of the last one, and whether
 * more follow. `json` is null if the page has a large document, or is too long.
 */
export function selectPages(name: string, queries: readonly Query[]): QueryConfig {
  const properties = Object.keys(queries[0]?.filters ?? {});
  const statement = new Statement();
  const after = queries.map((query) => query.after);
  const limits = queries.map(({ limit }) => limit);
  const wanted = [statement.bind(after, 'bigint'), statement.bind(limits, 'int')];
  for (const property of properties) {
    const values = queries.map(({ filters = {} }) => columnText(filters[property]));
    wanted.push(statement.bind(values, 'text'));
  }
  const names = properties.map((_, i) => `value${i}`);
  const conditions = properties.map((property, i) => `AND ${columnOf(property)} = w.value${i}`);
  const text = `
    SELECT CASE WHEN page.large = 0 AND page.size <= ${MAX_PAGE_SIZE} THEN page.json END AS json, page.last, page.more
    FROM unnest(${wanted}) WITH ORDINALITY AS w (${['after', 'count', ...names, 'place']})
    CROSS JOIN LATERAL (
      SELECT string_agg(json, ',') FILTER (WHERE place <= w.count) AS json,
        max(id) FILTER (WHERE place <= w.count) AS last,
        coalesce(sum(octet_length(json)), 0) AS size,
        count(*) FILTER (WHERE json IS NULL) AS large,
        count(*) > w.count AS more
      FROM (
        SELECT id, row_number() OVER () AS place, ${SMALL_TEXT} AS json
        FROM ${tableOf(name)} WHERE id > w.after ${conditions.join(' ')} ORDER BY id LIMIT w.count + 1
      ) found
    ) page ORDER BY w.place`;
  return { name: `pages ${name} ${properties}`, text, values: statement.values };
}

/** The documents of one page and one more, a row for each. A large document has no JSON. */
export function selectRows(name: string, { after, limit, filters = {} }: Query): QueryConfig {
  const properties = Object.keys(filters);
  const conditions = properties.map((property, i) => `AND ${columnOf(property)} = $${i + 3}`);
  const text = `SELECT id, ${SMALL_TEXT} AS json FROM ${tableOf(name)}
    WHERE id > $1 ${conditions.join(' ')} ORDER BY id LIMIT $2`;
  return { text, values: [after, limit + 1, ...Object.values(filters).map(columnText)] };
}
