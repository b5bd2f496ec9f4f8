/** The schema of the previous version, and the statements that its servers send. Nothing here may change. */
export const schema = [
  `CREATE TABLE petstore_migrations (version bigint PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`,
  `CREATE TABLE pets (
     id bigint PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
     name text NOT NULL,
     category_id bigint NOT NULL,
     status text
   )`,
  `CREATE INDEX pets_available ON pets (id) WHERE status = 'available'`,
  `CREATE INDEX pets_pending ON pets (id) WHERE status = 'pending'`,
  `CREATE INDEX pets_sold ON pets (id) WHERE status = 'sold'`,
  `CREATE TABLE pet_ids (
     turn integer PRIMARY KEY DEFAULT 1 CHECK (turn = 1),
     last bigint NOT NULL CHECK (last BETWEEN 0 AND 9007199254740991)
   )`,
  'INSERT INTO pet_ids (last) VALUES (0)',
  `CREATE TABLE pet_commits (
     writer text PRIMARY KEY,
     number bigint NOT NULL,
     before bigint,
     at timestamptz NOT NULL DEFAULT now()
   )`,
  'INSERT INTO petstore_migrations (version) VALUES (1)',
];

export const create = {
  name: 'keep_new',
  text: `
  WITH turn AS (UPDATE pet_ids SET last = last + $1 RETURNING last - $1 AS before),
  noted AS (
    INSERT INTO pet_commits (writer, number, before) SELECT $5::text, $6::bigint, turn.before FROM turn
    ON CONFLICT (writer) DO UPDATE SET number = excluded.number, before = excluded.before, at = excluded.at
    WHERE pet_commits.number < excluded.number
    RETURNING number
  ),
  kept AS (
    INSERT INTO pets (id, name, category_id, status)
    SELECT turn.before + new.place, new.name, new.category_id, new.status
    FROM turn, unnest($2::text[], $3::bigint[], $4::text[]) WITH ORDINALITY AS new (name, category_id, status, place)
  )
  SELECT before, 1 / (SELECT count(*) FROM noted) FROM turn`,
};

export const probe = { text: 'UPDATE pet_ids SET last = last' };

const columns = 'id, name, category_id, status';

export const list = (status?: string) => ({
  name: `list_${status ?? 'all'}`,
  text: `
    SELECT ${columns} FROM (
      SELECT ${columns}, sum(octet_length(name)) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - octet_length(name) AS before
      FROM (SELECT ${columns} FROM pets WHERE ${status ? `status = '${status}' AND ` : ''}id > $1 ORDER BY id LIMIT $2) AS page
    ) AS measured
    WHERE before < $3 ORDER BY id`,
});

export const get = { name: 'get', text: `SELECT ${columns} FROM pets WHERE id = $1` };
