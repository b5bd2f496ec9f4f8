/**
 * The first format had a table of pets with a column for each property. A migration converts this table once, and replaces the tables
 * of the first format by views with their names, so servers of the previous version can still read and add pets. The condition is also true for a
 * database without these tables.
 */
export const isFormat1Converted = `NOT EXISTS (SELECT FROM pg_class WHERE oid = to_regclass('pet_ids') AND relkind = 'r')`;

const text = (row: string) => `'{"id":' || ${row}.id || ',"name":' || to_json(${row}.name) ||
  ',"categoryId":' || ${row}.category_id || coalesce(',"status":' || to_json(${row}.status), '') || '}'`;

/** Locks the tables in the same order as servers of the previous version. */
export const convertFormat1 = `DO $convert$ BEGIN
  LOCK TABLE pet_ids, pets IN ACCESS EXCLUSIVE MODE;
  INSERT INTO documents_pets (id, version, bytes, data)
    SELECT id, 1, octet_length(document), document::json
    FROM (SELECT id, ${text('pets')} AS document FROM pets) AS converted ORDER BY id;
  UPDATE petstore_collections SET last = (SELECT last FROM pet_ids) WHERE name = 'pets';
  ALTER TABLE pets RENAME TO pets_format_1;
  ALTER TABLE pet_ids RENAME TO pet_ids_format_1;

  CREATE VIEW pet_ids AS SELECT 1 AS turn, last FROM petstore_collections WHERE name = 'pets';
  CREATE VIEW pets AS
    SELECT id, shown ->> 'name' AS name, (shown ->> 'categoryId')::bigint AS category_id, shown ->> 'status' AS status
    FROM (SELECT id, replace(data::text, E'\\\\u0000', E'\\\\ufffd')::json AS shown FROM documents_pets) AS documents;
  CREATE FUNCTION petstore_format_1_insert() RETURNS trigger LANGUAGE plpgsql AS $insert$
    DECLARE document text := ${text('NEW')};
    BEGIN
      INSERT INTO documents_pets (id, version, bytes, data)
        VALUES (NEW.id, 1, octet_length(document), document::json);
      RETURN NEW;
    END $insert$;
  CREATE TRIGGER petstore_format_1_insert INSTEAD OF INSERT ON pets
    FOR EACH ROW EXECUTE FUNCTION petstore_format_1_insert();
END $convert$`;
