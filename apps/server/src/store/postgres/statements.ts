import { escapeIdentifier, escapeLiteral } from 'pg';
import type { CollectionDeclaration } from '../document.ts';
import { IDEMPOTENCY_MS } from '../store.ts';
import { keyExpression, nameInDatabase, tableOf } from './schema.ts';

/** A statement that each connection prepares once under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/**
 * The statements of one collection. A read takes an array for each parameter, and returns one row per element, in order.
 *
 * The parameters of a commit are: writer ($1), the commit's number ($2), version ($3); how many documents are new ($4), their properties
 * without the identifier as JSON ($5); of each change its identifier ($6), required version ($7) and text ($8); the idempotency keys and
 * fingerprints of the new documents ($9, $10) and of the changes ($11, $12).
 */
export function statementsOf({ name, id, indexes }: CollectionDeclaration) {
  const table = escapeIdentifier(tableOf(name));
  const literal = escapeLiteral(name);
  const statement = (kind: string, text: string): Statement => ({ name: nameInDatabase(`${kind} ${name}`), text });

  const get = `
    SELECT found.version, found.data::text FROM unnest($1::bigint[]) WITH ORDINALITY AS query (id, ordinal)
    LEFT JOIN ${table} AS found USING (id) ORDER BY ordinal`;

  /**
   * Returns for each page the number of documents, the last identifier, whether it is full, and the documents as one text. Does not read
   * the texts of documents after the page is full. Bytes are counted as in compact JSON: `bytes + 1` is a document and its comma, the
   * last `+ 1` is the opening bracket.
   */
  const list = (condition: string, key: string) => `
    SELECT page.* FROM ROWS FROM (unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::bigint[])${key && ', unnest($4::text[])'})
      WITH ORDINALITY AS query (after, max_count, max_bytes, ${key}ordinal)
    CROSS JOIN LATERAL (
      SELECT count(*), coalesce(max(id), 0), count(*) >= max_count OR sum(bytes + 1) + 1 >= max_bytes,
        coalesce(string_agg(data::text, E',\\n'), '')
      FROM (
        SELECT id, data, bytes, sum(bytes + 1) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - (bytes + 1) + 1 AS bytes_before
        FROM (SELECT id, data, bytes FROM ${table} WHERE ${condition}id > after ORDER BY id LIMIT max_count) AS found
      ) AS measured
      WHERE bytes_before < max_bytes
    ) AS page ORDER BY ordinal`;
  const filtered = (property: string) => list(`${keyExpression(property)} = key AND `, 'key, ');

  /**
   * Identifiers come from one row, which a commit locks until it is visible. So commits of all servers become visible in the order of
   * their identifiers, and no page passes an identifier whose document appears later. A sequence would assign numbers before their
   * documents are visible.
   */
  const counter = (increase: string) => `
    counter AS (
      UPDATE petstore_collections SET last = last + ${increase} WHERE name = ${literal} RETURNING last - ${increase} AS before
    )`;
  const created = (from: string) => `
    created AS (
      INSERT INTO ${table} (id, version, bytes, data)
      SELECT id, $3::bigint, octet_length(document), document::json FROM (${from}) AS new
    )`;
  /** The text of a new document, from its properties without the identifier. */
  const documentText = `${escapeLiteral(`{${JSON.stringify(id)}:`)} || (before + ordinal) ||
    CASE body::text WHEN '{}' THEN '}' ELSE ',' || substr(body::text, 2) END`;

  /** Replaces documents, and removes those with a null text. `found` reads `counter` so that its row is locked before the documents. */
  const changed = (keys: string, condition: string) => `
    change AS (
      SELECT * FROM ROWS FROM (unnest($6::bigint[]), unnest($7::bigint[]), json_array_elements_text($8::json)${keys && ', unnest($11::text[]), unnest($12::text[])'})
        WITH ORDINALITY AS change (id, if_version, document, ${keys}ordinal)
    ),
    found AS (SELECT ordinal, version FROM counter, change JOIN ${table} AS stored USING (id) FOR UPDATE OF stored),
    due AS (
      SELECT * FROM change JOIN found USING (ordinal) WHERE (if_version IS NULL OR if_version = version)${condition}
    ),
    replaced AS (
      UPDATE ${table} AS stored SET version = $3, bytes = octet_length(document), data = document::json
      FROM due WHERE stored.id = due.id AND document IS NOT NULL
    ),
    removed AS (DELETE FROM ${table} AS stored USING due WHERE stored.id = due.id AND document IS NULL),`;
  /** The version of each document to change, null for a missing one. */
  const foundVersions = '(SELECT array_agg(version ORDER BY ordinal) FROM change LEFT JOIN found USING (ordinal))';
  const noVersions = 'NULL::bigint[]';

  const write = (changes: string, versions: string) => `
    WITH ${counter('$4::int')},
    ${created(`
      SELECT before + ordinal AS id, ${documentText} AS document
      FROM counter, json_array_elements($5::json) WITH ORDINALITY AS new (body, ordinal)`)},${changes}
    ${recordedAndSelected(versions)} FROM counter`;

  /**
   * Like a commit, but $4 to $7 differ: creates documents with their own identifiers ($6; the first is $5, the last $4) and texts ($7).
   * Does nothing if the collection has already assigned the first or a higher identifier.
   */
  const restore = `
    WITH counter AS (
      UPDATE petstore_collections SET last = $4 WHERE name = ${literal} AND last < $5 RETURNING last AS before
    ),
    ${created(`
      SELECT id, document::text AS document
      FROM counter, ROWS FROM (unnest($6::bigint[]), json_array_elements($7::json)) AS new (id, document)`)},
    ${recordedAndSelected(noVersions)} FROM counter`;

  /**
   * Does the same as `write` with changes, but omits writes whose idempotency key is known. If another server stores one of the
   * keys after this statement began, the statement fails with a division by zero. When it is sent again, it finds the key known.
   */
  const writeOnce = `
    WITH known AS (
      SELECT key FROM petstore_idempotency WHERE key = ANY ($9::text[] || $11::text[]) AND ${isFresh('')}
    ),
    new AS (
      SELECT body, key, fingerprint, row_number() OVER (ORDER BY ordinal) AS ordinal
      FROM ROWS FROM (json_array_elements($5::json), unnest($9::text[]), unnest($10::text[]))
        WITH ORDINALITY AS new (body, key, fingerprint, ordinal)
      WHERE key IS NULL OR key NOT IN (SELECT key FROM known)
    ),
    ${counter('($4::int - (SELECT count(*) FROM known WHERE key = ANY ($9)))')},
    document AS (SELECT before + ordinal AS id, ${documentText} AS document, key, fingerprint FROM counter, new),
    ${created('SELECT id, document FROM document')},
    ${changed('key, fingerprint, ', ' AND (key IS NULL OR key NOT IN (SELECT key FROM known))')}
    done AS (
      SELECT key, fingerprint, id, document FROM document WHERE key IS NOT NULL
      UNION ALL SELECT key, fingerprint, id, document FROM due WHERE key IS NOT NULL
    ),
    inserted AS (
      INSERT INTO petstore_idempotency AS stored (key, fingerprint, id, version, document)
      SELECT key, fingerprint, id, $3::bigint, document FROM done
      ON CONFLICT (key) DO UPDATE SET
        (number, fingerprint, at, id, version, document) =
        (DEFAULT, excluded.fingerprint, excluded.at, excluded.id, excluded.version, excluded.document)
        WHERE NOT (${isFresh('stored.')})
      RETURNING key
    ),
    ${recordedAndSelected(foundVersions)}, (SELECT coalesce(array_agg(key), '{}') FROM known),
      1 / ((SELECT count(*) FROM inserted) = (SELECT count(*) FROM done))::int FROM counter`;

  return {
    get: statement('get', get),
    list: statement('list', list('', '')),
    lists: new Map(indexes.map((property) => [property, statement(`list by ${property}`, filtered(property))])),
    // Most commits only create documents. For these, this shorter statement takes a quarter less time.
    create: statement('create', write('', noVersions)),
    write: statement('write', write(changed('', ''), foundVersions)),
    writeOnce: statement('write once', writeOnce),
    restore: statement('restore', restore),
  };
}

/**
 * Records a commit's number and outcome in the row of its writer, and begins the final SELECT. A commit that `fence` prevented finds its
 * number taken, and fails with a division by zero.
 */
const recordedAndSelected = (versions: string) => `
    recorded AS (
      INSERT INTO petstore_commits AS stored (writer, number, before, versions)
      SELECT $1::text, $2::bigint, before, ${versions} FROM counter
      ON CONFLICT (writer) DO UPDATE
        SET number = excluded.number, before = excluded.before, versions = excluded.versions, at = excluded.at
        WHERE stored.number < excluded.number
      RETURNING versions
    )
    SELECT before, (SELECT versions FROM recorded), 1 / (SELECT count(*) FROM recorded)`;

/** Whether an idempotency key is still valid. The database's clock is the same for all servers. */
const isFresh = (of: string) => `${of}at > now() - interval '${IDEMPOTENCY_MS} ms'`;

/** Finds the result of the write with an idempotency key. */
export const resultOf: Statement = {
  name: 'idempotency',
  text: `
    SELECT fingerprint, id, version, document FROM unnest($1::text[]) WITH ORDINALITY AS query (key, ordinal)
    LEFT JOIN petstore_idempotency USING (key) ORDER BY ordinal`,
};

/**
 * Of the $1 oldest keys, removes those that have expired, and those whose number is $2 or more below the highest. Numbers have few gaps,
 * so they stand for a count. Returns how many keys were removed, how many of these had not expired, and an upper bound of how many remain.
 * A key that is stored again meanwhile has another number, so it stays.
 */
export const sweepKeys = {
  text: `
    WITH range AS (SELECT min(number) AS first, max(number) AS last FROM petstore_idempotency),
    oldest AS (SELECT key, number, ${isFresh('')} AS fresh FROM petstore_idempotency ORDER BY number LIMIT $1),
    gone AS (
      DELETE FROM petstore_idempotency AS stored USING oldest, range
      WHERE stored.key = oldest.key AND stored.number = oldest.number AND (oldest.number <= last - $2 OR NOT fresh)
      RETURNING stored.key, fresh
    )
    SELECT count(key), count(*) FILTER (WHERE fresh), coalesce(max(last - first) + 1, 0) - count(key)
    FROM range LEFT JOIN gone ON true`,
};

/** Prevents a commit with an unknown outcome from being stored later. Returns no row if it was stored already. */
export const fence = {
  text: `
    INSERT INTO petstore_commits AS stored (writer, number) VALUES ($1, $2)
    ON CONFLICT (writer) DO UPDATE SET number = excluded.number, before = NULL, versions = NULL, at = excluded.at
    WHERE stored.number < excluded.number
    RETURNING number`,
};

/** Finds the outcome of a stored commit. Returns no row for a fenced commit. */
export const outcome = {
  text: 'SELECT before, versions FROM petstore_commits WHERE writer = $1 AND number = $2 AND before IS NOT NULL',
};

/** Removes the rows of writers without a commit for a week. */
export const sweepCommits = { text: `DELETE FROM petstore_commits WHERE at < now() - interval '7 days'` };

/** Has the form of a read: one row per element of $1. */
export const ping: Statement = { name: 'ping', text: 'SELECT * FROM unnest($1::int[])' };
