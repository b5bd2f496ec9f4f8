import { rounds } from '@petstore/testing';
import { describeOnSchema } from '@petstore/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { decode } from '../../src/store/document.ts';
import { StoreUnavailableError, StoreUncertainError } from '../../src/store/errors.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import { idempotencySuite } from '../store/idempotency-suite.ts';
import { type StoreFixture, things } from '../store/store-fixture.ts';
import { storeSuite } from '../store/store-suite.ts';
import { openSession } from './session.ts';

describeOnSchema('the PostgreSQL store', (newSchema) => {
  let url: string;
  const fixture: StoreFixture = {
    open: async (collections) => {
      url = await newSchema();
      return openPostgresStore(url, collections);
    },
    reopen: (collections) => openPostgresStore(url, collections),
    runs: rounds(12, 300),
  };
  storeSuite(fixture);
  idempotencySuite(fixture);

  async function open(options = {}) {
    url = await newSchema();
    const store = await openPostgresStore(url, [things], options);
    onTestFinished(() => store.close());
    return store.collection('things');
  }

  test('commits concurrent writes together, and reports the number', async () => {
    const commits: number[] = [];
    const collection = await open({ onCommit: ({ writes }: { writes: number }) => commits.push(writes) });
    const added = await Promise.all(Array.from({ length: 64 }, () => collection.create({})));
    await Promise.all([
      collection.create({}),
      ...added.slice(0, 20).map(({ id }) => collection.replace(id, { size: 1 })),
      ...added.slice(20, 30).map(({ id }) => collection.remove(id)),
    ]);
    expect(commits).toEqual([64, 31]);
  });

  test.each(['53100', '53200', '53400', '55P03', '40001'])(
    'rejects a write without long retries, as not stored, if the database reports %s, and accepts others',
    async (state) => {
      const collection = await open({ statementTimeout: 60_000 });
      const database = await openSession(url);
      const text = `
        CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF NEW.data::text LIKE '%fail%' THEN RAISE EXCEPTION 'in process %', pg_backend_pid() USING errcode = '${state}'; END IF;
          RETURN NEW;
        END $$;
        CREATE TRIGGER fail BEFORE INSERT ON documents_things FOR EACH ROW EXECUTE FUNCTION fail()`;
      await database.run({ text }, 5_000);
      // Retries until the deadline would take longer than the test may.
      const fail = () => collection.create({ text: 'fail' }).catch((error: unknown) => error);
      const failed = await fail();
      expect(failed).toBeInstanceOf(StoreUnavailableError);
      expect(failed).not.toBeInstanceOf(StoreUncertainError);
      expect((await collection.create({ text: 'next' })).id).toBe(1);
      // The connection is still the same, because the message names its process.
      expect(await fail()).toEqual(failed);
      expect((await collection.list({ after: 0, limit: 9 })).count).toBe(1);
    },
  );

  // PostgreSQL gives such a warning with every write once it needs a VACUUM soon, and still accepts 37 million writes.
  test('writes although the database warns of something else than its standby', async () => {
    const collection = await open();
    const text = `
      CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'soon'; RETURN NULL; END $$;
      CREATE TRIGGER warn AFTER UPDATE ON petstore_collections EXECUTE FUNCTION warn()`;
    await (await openSession(url)).run({ text }, 5_000);
    expect(await collection.create({})).toMatchObject({ id: 1 });
  });

  test('separates collections and indexes whose names differ only beyond the longest name of PostgreSQL', async () => {
    const [name, property] = ['c'.repeat(70), 'p'.repeat(70)];
    const declarations = ['1', '2'].map((end) => ({
      name: name + end,
      id: 'key',
      indexes: [`${property}1`, `${property}2`],
    }));
    url = await newSchema();
    for (const id of [1, 2]) {
      const store = await openPostgresStore(url, declarations);
      for (const declaration of declarations) {
        const collection = store.collection(declaration.name);
        const document = { key: id, [`${property}1`]: `${id} in ${declaration.name}`, [`${property}2`]: id };
        expect(decode((await collection.create(document)).json)).toEqual(document);
        for (const index of declaration.indexes) {
          const filter = { property: index, value: document[index] };
          expect(decode((await collection.list({ after: 0, limit: 9, filter })).json)).toEqual([document]);
        }
      }
      await store.close();
    }
  });

  test('filters by every JSON value, including escapes and long strings', async () => {
    const collection = await open();
    const values: unknown[] = [
      '\u0000',
      '\u0001',
      '\\u0000',
      '\\',
      '\\\\',
      '"',
      '\ud800',
      'u0000',
      '1',
      1,
      'null',
      null,
      'x'.repeat(5000),
    ];
    values.push('x'.repeat(4999), ' ', true, 'true', 0.1, '\n');
    const added = await Promise.all(values.map((color) => collection.create({ text: '\u0000\ud800\\', color })));
    for (const [i, value] of values.entries()) {
      const page = await collection.list({ after: 0, limit: 9, filter: { property: 'color', value } });
      expect(decode<unknown[]>(page.json), JSON.stringify(value)).toEqual([
        { key: added[i]?.id, text: '\u0000\ud800\\', color: value },
      ]);
    }
  });
});
