import { hash } from 'node:crypto';
import { escapeIdentifier, escapeLiteral, type QueryConfig } from 'pg';
import type { Change, CommitPlan, KeyRecord, Put, Removal } from './commit-plan.ts';
import { type Declaration, filterText, KEYS } from './store.ts';

export const tableOf = (collection: string) => escapeIdentifier(`petstore_${collection}`);
export const columnOf = (property: string) => escapeIdentifier(`by_${property}`);

/**
 * The text of a filter's column. U+0000 and lone surrogates are escaped, which no text has; long
 * values would fit into no index.
 */
export function columnText(text: string | undefined): string | null {
  if (text === undefined) return null;
  const escaped = JSON.stringify(text).slice(1, -1);
  return escaped.length <= 500 ? escaped : hash('sha256', escaped);
}

/** The names of filters as an array of SQL. */
export function filterList({ filters }: Declaration): string {
  const names = filters.toSorted().map((name) => escapeLiteral(name));
  return `ARRAY[${names}]::text[]`;
}

/**
 * Begins a commit. The locked rows make commits to a collection come one after the other, so
 * identifiers become visible in order. A server that vanishes holds them for some seconds only.
 * Nothing limits COMMIT itself: a cancelled wait for a standby would look like a success.
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
 * All changes of a commit and the next identifiers in one statement. It returns a row for each
 * idempotency key that it saves: one that another server has saved meanwhile is not.
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
    const removals = last.filter((change) => change.kind === 'remove');
    const puts = last.filter((change) => change.kind === 'put');
    if (removals.length > 0) parts.push(deleteDocuments(statement, declaration, removals));
    if (puts.length > 0) parts.push(putDocuments(statement, declaration, puts));
  }
  parts.push(updateCounters(statement, nextIds));
  const named = parts.map((part, i) => `part${i} AS (${part})`);
  const keys = keysOf(changes);
  const noRows = 'SELECT 1 LIMIT 0';
  const savedKeys = keys.length > 0 ? insertKeys(statement, keys, now) : noRows;
  return { text: `WITH ${named.join(', ')} ${savedKeys}`, values: statement.values };
}

/** The values that are bound to a statement. */
export class Statement {
  readonly values: unknown[] = [];

  /** Binds an array. Returns the parameter. */
  bind(type: string, array: readonly unknown[]): string {
    this.values.push(array);
    return `$${this.values.length}::${type}[]`;
  }
}

function deleteDocuments(
  statement: Statement,
  { name }: Declaration,
  removals: readonly Removal[],
): string {
  const ids = removals.map(({ id }) => id);
  return `DELETE FROM ${tableOf(name)} WHERE id = ANY(${statement.bind('bigint', ids)})`;
}

function putDocuments(
  statement: Statement,
  declaration: Declaration,
  puts: readonly Put[],
): string {
  const { name, filters } = declaration;
  const ids = puts.map(({ id }) => id);
  const texts = puts.map(({ json }) => json);
  const arrays = [statement.bind('bigint', ids), statement.bind('json', texts)];
  for (const property of filters) {
    const values = puts.map(({ document }) => columnText(filterText(document, property)));
    arrays.push(statement.bind('text', values));
  }
  const columns = ['data', ...filters.map(columnOf)];
  const replaced = [...columns, 'filters'].map((one) => `${one} = excluded.${one}`);
  return `INSERT INTO ${tableOf(name)} (id, ${columns}, filters)
    SELECT *, ${filterList(declaration)} FROM unnest(${arrays})
    ON CONFLICT (id) DO UPDATE SET ${replaced}`;
}

function updateCounters(statement: Statement, nextIds: ReadonlyMap<string, number>): string {
  const names = statement.bind('text', [...nextIds.keys()]);
  const values = statement.bind('bigint', [...nextIds.values()]);
  return `UPDATE petstore_counters c SET value = n.value
    FROM unnest(${names}, ${values}) n (name, value) WHERE c.name = n.name`;
}

/** A key that is there has expired, or another server has saved it meanwhile. */
function insertKeys(statement: Statement, keys: readonly KeyRecord[], now: number): string {
  // In one order, so that no two servers wait for each other.
  const sorted = keys.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const ids = sorted.map(({ id }) => id);
  const fingerprints = sorted.map(({ fingerprint }) => fingerprint);
  const statuses = sorted.map(({ status }) => status);
  const results = sorted.map(({ json }) => json);
  const arrays = [
    statement.bind('text', ids),
    statement.bind('text', fingerprints),
    statement.bind('int', statuses),
    statement.bind('text', results),
  ];
  const times = statement.bind('timestamptz', [timestampOf(now), expiry(now)]);
  return `INSERT INTO petstore_request_keys AS k (id, fingerprint, status, result, made)
    SELECT *, (${times})[1] FROM unnest(${arrays})
    ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
      result = excluded.result, made = excluded.made
    WHERE k.made <= (${times})[2]
    RETURNING 1`;
}

/** The last change of each document of a collection. It replaces those before. */
function lastChanges(changes: readonly Change[], collection: string): (Put | Removal)[] {
  const last = new Map<number, Put | Removal>();
  for (const change of changes)
    if (change.kind !== 'key' && change.collection === collection) last.set(change.id, change);
  return [...last.values()];
}

export function keysOf(changes: readonly Change[]): KeyRecord[] {
  return changes.flatMap(({ key }) => key ?? []);
}

const timestampOf = (milliseconds: number) => new Date(milliseconds).toISOString();

/** When a key that expires now was made. */
export const expiry = (now: number) => timestampOf(now - KEYS.milliseconds);

/**
 * Looks each key up by the index. Has no name, so that it is planned for each use: a plan from when
 * the table was small would read the whole table.
 */
export function selectKeys(ids: readonly string[], now: number): QueryConfig {
  const text = `
    SELECT found.* FROM unnest($1::text[]) AS wanted (id) CROSS JOIN LATERAL (
      SELECT id, fingerprint, status, result AS json,
        (extract(epoch FROM made) * 1000)::float8 AS made
      FROM petstore_request_keys
      WHERE id = wanted.id AND made > $2 LIMIT 1
    ) found`;
  return { text, values: [ids, expiry(now)] };
}

export function selectNextId(name: string): QueryConfig {
  return { text: 'SELECT value FROM petstore_counters WHERE name = $1', values: [name] };
}

/** A statement with a name is prepared once for each connection. */
export function selectDocuments(name: string, ids: readonly number[]): QueryConfig {
  const text = `SELECT id, data::text AS json FROM ${tableOf(name)} WHERE id = ANY($1::bigint[])`;
  return { name: `get ${name}`, text, values: [ids] };
}
