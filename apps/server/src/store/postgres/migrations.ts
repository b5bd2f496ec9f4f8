/**
 * What each version of the schema adds to the one before. Only forwards, and only additions that a server of an older
 * version does not notice: a new table, a nullable column, an index (of a large table `CONCURRENTLY`). A statement may run
 * again after a start that was killed, so each does nothing the second time; a released migration is never changed.
 */
export const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE IF NOT EXISTS pets (
       id bigint PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
       name text NOT NULL,
       category_id bigint NOT NULL,
       status text
     )`,
    // One for each status and not one of (status, id): two thirds of the size, and each animal goes to the end of one.
    `CREATE INDEX IF NOT EXISTS pets_available ON pets (id) WHERE status = 'available'`,
    `CREATE INDEX IF NOT EXISTS pets_pending ON pets (id) WHERE status = 'pending'`,
    `CREATE INDEX IF NOT EXISTS pets_sold ON pets (id) WHERE status = 'sold'`,
    // The identifier given last, in the one row that every commit takes its turn on.
    `CREATE TABLE IF NOT EXISTS pet_ids (
       turn integer PRIMARY KEY DEFAULT 1 CHECK (turn = 1),
       last bigint NOT NULL CHECK (last BETWEEN 0 AND 9007199254740991)
     )`,
    'INSERT INTO pet_ids (last) VALUES (0) ON CONFLICT DO NOTHING',
    // The last commit of each server process: its number, and the identifier before its first animal.
    `CREATE TABLE IF NOT EXISTS pet_commits (
       writer text PRIMARY KEY,
       number bigint NOT NULL,
       before bigint,
       at timestamptz NOT NULL DEFAULT now()
     )`,
  ],
];
