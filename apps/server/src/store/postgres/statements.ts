import { escapeIdentifier, escapeLiteral } from 'pg';
import type { CollectionDeclaration } from '../document.ts';
import { IDEMPOTENCY_MS } from '../store.ts';
import { keyColumn, tableOf } from './schema.ts';

/** A statement that every connection prepares once, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** The statements of one collection. Each read takes arrays, and returns one row for each of their elements, in order. */
export function statementsOf({ name, id, indexes }: CollectionDeclaration) {
  const table = escapeIdentifier(tableOf(name));
  const literal = escapeLiteral(name);
  const statement = (kind: string, text: string): Statement => ({ name: `${kind} ${name}`, text });

  const get = `
    SELECT found.version, found.data::text FROM unnest($1::bigint[]) WITH ORDINALITY AS query (id, place)
    LEFT JOIN ${table} AS found USING (id) ORDER BY place`;

  /** A page is one value, joined by the database. A document is not read if those before it fill the page. */
  const list = (condition: string, filter: string) => `
    SELECT page.* FROM ROWS FROM (unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::bigint[])${filter})
      WITH ORDINALITY AS query (after, max_count, max_bytes, ${filter && 'key, '}place)
    CROSS JOIN LATERAL (
      SELECT count(*), coalesce(max(id), 0), count(*) >= max_count OR sum(bytes + 1) + 1 >= max_bytes,
        coalesce(string_agg(data::text, E',\\n'), '')
      FROM (
        SELECT id, data, bytes, sum(bytes + 1) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before
        FROM (SELECT id, data, bytes FROM ${table} WHERE ${condition}id > after ORDER BY id LIMIT max_count) AS found
      ) AS measured
      WHERE bytes_before < max_bytes
    ) AS page ORDER BY place`;
  const filtered = (property: string) => list(`${keyColumn(property)} = key AND `, ', unnest($4::text[])');

  /**
   * Identifiers come from one row, which a commit locks until it is visible. So the commits of all servers follow one
   * another in the order of their identifiers: no page can miss a document that arrives late, and there are no gaps. A
   * sequence gives out numbers before anybody can see their documents.
   */
  const store = (from: string) => `
    created AS (
      INSERT INTO ${table} (id, version, bytes, data)
      SELECT id, $3::bigint, octet_length(document), document::json FROM (${from}) AS new
    )`;
  const tail = `CASE body::text WHEN '{}' THEN '}' ELSE ',' || substr(body::text, 2) END`;

  const text = `${escapeLiteral(`{${JSON.stringify(id)}:`)} || before + place || ${tail}`;

  const write = (changes: string, versions: string) => `
    WITH turn AS (
      UPDATE petstore_collections SET last = last + $4::int WHERE name = ${literal} RETURNING last - $4 AS before
    ),
    ${store(`
      SELECT before + place AS id, ${text} AS document
      FROM turn, json_array_elements($5::json) WITH ORDINALITY AS new (body, place)`)},${changes}
    ${noted(versions)} FROM turn`;
  /** Replaces documents, and removes those whose text is null. */
  const changes = (keys: string, isDue: string) => `
    change AS (
      SELECT * FROM ROWS FROM (unnest($6::bigint[]), unnest($7::bigint[]), json_array_elements_text($8::json)${keys && ', unnest($11::text[]), unnest($12::text[])'})
        WITH ORDINALITY AS change (id, if_version, document, ${keys}place)
    ),
    found AS (SELECT place, version FROM turn, change JOIN ${table} AS stored USING (id) FOR UPDATE OF stored),
    due AS (
      SELECT * FROM change JOIN found USING (place) WHERE (if_version IS NULL OR if_version = version)${isDue}
    ),
    replaced AS (
      UPDATE ${table} AS stored SET version = $3, bytes = octet_length(document), data = document::json
      FROM due WHERE stored.id = due.id AND document IS NOT NULL
    ),
    removed AS (DELETE FROM ${table} AS stored USING due WHERE stored.id = due.id AND document IS NULL),`;
  /** The version of each document that was to be changed, null for one that is not there. */
  const versions = '(SELECT array_agg(version ORDER BY place) FROM change LEFT JOIN found USING (place))';

  /** Creates documents under their own identifiers, unless the collection has given out one as high. */
  const restore = `
    WITH turn AS (
      UPDATE petstore_collections SET last = $4 WHERE name = ${literal} AND last < $5 RETURNING last AS before
    ),
    ${store(`
      SELECT id, document::text AS document
      FROM turn, ROWS FROM (unnest($6::bigint[]), json_array_elements($7::json)) AS new (id, document)`)},
    ${noted('NULL::bigint[]')} FROM turn`;

  /**
   * The same, but for writes with a key that is known, which are not done. A key that another server has stored since this
   * statement began is in the way of its own: then the statement divides by zero, and finds it known when it is sent again.
   */
  const unknown = '($4::int - (SELECT count(*) FROM known WHERE key = ANY ($9)))';
  const writeOnce = `
    WITH known AS (
      SELECT key FROM petstore_idempotency WHERE key = ANY ($9::text[] || $11::text[]) AND ${isFresh('')}
    ),
    new AS (
      SELECT body, key, fingerprint, row_number() OVER (ORDER BY place) AS place
      FROM ROWS FROM (json_array_elements($5::json), unnest($9::text[]), unnest($10::text[]))
        WITH ORDINALITY AS new (body, key, fingerprint, place)
      WHERE key IS NULL OR key NOT IN (SELECT key FROM known)
    ),
    turn AS (
      UPDATE petstore_collections SET last = last + ${unknown} WHERE name = ${literal} RETURNING last - ${unknown} AS before
    ),
    document AS (SELECT before + place AS id, ${text} AS document, key, fingerprint FROM turn, new),
    ${store('SELECT id, document FROM document')},
    ${changes('key, fingerprint, ', ' AND (key IS NULL OR key NOT IN (SELECT key FROM known))')}
    done AS (
      SELECT key, fingerprint, id, document FROM document WHERE key IS NOT NULL
      UNION ALL SELECT key, fingerprint, id, document FROM due WHERE key IS NOT NULL
    ),
    inserted AS (
      INSERT INTO petstore_idempotency AS before (key, fingerprint, id, version, document)
      SELECT key, fingerprint, id, $3::bigint, document FROM done
      ON CONFLICT (key) DO UPDATE SET
        (number, fingerprint, at, id, version, document) =
        (DEFAULT, excluded.fingerprint, excluded.at, excluded.id, excluded.version, excluded.document)
        WHERE NOT (${isFresh('before.')})
      RETURNING key
    ),
    ${noted(versions)}, (SELECT coalesce(array_agg(key), '{}') FROM known),
      1 / ((SELECT count(*) FROM inserted) = (SELECT count(*) FROM done))::int FROM turn`;

  return {
    get: statement('get', get),
    list: statement('list', list('', '')),
    lists: new Map(indexes.map((property) => [property, statement(`list by ${property}`, filtered(property))])),
    // Most commits only create, which takes the database a quarter less time with the shorter one.
    create: statement('create', write('', 'NULL::bigint[]')),
    write: statement('write', write(changes('', ''), versions)),
    writeOnce: statement('write once', writeOnce),
    restore: statement('restore', restore),
  };
}

/**
 * Notes the commit of a writer under its number, with its outcome, in the row that each writer has. A commit that was fenced
 * finds its number taken, and divides by zero.
 */
const noted = (versions: string) => `
    noted AS (
      INSERT INTO petstore_commits AS known (writer, number, before, versions)
      SELECT $1::text, $2::bigint, before, ${versions} FROM turn
      ON CONFLICT (writer) DO UPDATE
        SET number = excluded.number, before = excluded.before, versions = excluded.versions, at = excluded.at
        WHERE known.number < excluded.number
      RETURNING versions
    )
    SELECT before, (SELECT versions FROM noted), 1 / (SELECT count(*) FROM noted)`;

/** Whether a key of an idempotent write is still honoured. The database has one clock for all servers. */
const isFresh = (of: string) => `${of}at > now() - interval '${IDEMPOTENCY_MS} ms'`;

/** The result of the write that a key was stored with. */
export const resultOf: Statement = {
  name: 'idempotency',
  text: `
    SELECT fingerprint, id, version, document FROM unnest($1::text[]) WITH ORDINALITY AS query (key, place)
    LEFT JOIN petstore_idempotency USING (key) ORDER BY place`,
};

/**
 * Removes of the $1 oldest keys those that are too old or not among the last $2. Returns how many, how many of them were not
 * too old, and how many are left. A key that is stored anew meanwhile has another number.
 */
export const sweepKeys = {
  text: `
    WITH range AS (SELECT min(number) AS first, max(number) AS last FROM petstore_idempotency),
    oldest AS (SELECT key, number, ${isFresh('')} AS early FROM petstore_idempotency ORDER BY number LIMIT $1),
    gone AS (
      DELETE FROM petstore_idempotency AS stored USING oldest, range
      WHERE stored.key = oldest.key AND stored.number = oldest.number AND (oldest.number <= last - $2 OR NOT early)
      RETURNING early
    )
    SELECT count(early), count(*) FILTER (WHERE early), coalesce(max(last - first) + 1, 0) - count(early)
    FROM range LEFT JOIN gone ON true`,
};

/** Makes sure that a commit whose answer was lost is never stored from now on. Returns no row if it was stored before. */
export const fence = {
  text: `
    INSERT INTO petstore_commits AS known (writer, number) VALUES ($1, $2)
    ON CONFLICT (writer) DO UPDATE SET number = excluded.number, before = NULL, versions = NULL, at = excluded.at
    WHERE known.number < excluded.number
    RETURNING number`,
};

/** The outcome of a commit that was stored; no row for one that was fenced. */
export const outcome = {
  text: 'SELECT before, versions FROM petstore_commits WHERE writer = $1 AND number = $2 AND before IS NOT NULL',
};

/** Removes what servers that ended long ago have noted. */
export const sweep = { text: `DELETE FROM petstore_commits WHERE at < now() - interval '7 days'` };

/** Every commit writes a row of this table, so a host that commits this can commit writes. */
export const probe = { text: 'UPDATE petstore_collections SET last = last' };

export const ping: Statement = { name: 'ping', text: 'SELECT * FROM unnest($1::int[])' };
