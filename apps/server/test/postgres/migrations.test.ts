import { describeOnOwnDatabase } from '@petstore/testing/postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { allCollections } from '../../src/collections.ts';
import { handlers } from '../../src/handlers.ts';
import { decode } from '../../src/store/document.ts';
import { openPostgresStore } from '../../src/store/open.ts';
import { openPostgresStore as openCollections } from '../../src/store/postgres/postgres.ts';
import { migrate, schemaOf } from '../../src/store/postgres/schema.ts';
import { apiOf } from '../../src/store/stored.ts';
import { addMany, contents, everything } from '../store/store-contents.ts';
import { things } from '../store/store-fixture.ts';
import * as format1 from './format-1.ts';
import { openSession } from './session.ts';

const rex = { name: 'Rex', categoryId: 1 };

async function open(url: string) {
  const store = await openPostgresStore(url);
  onTestFinished(() => store.close());
  return store;
}

/** The URL of the same database, with a setting for its sessions. */
function withSetting(url: string, setting: string): string {
  const changed = new URL(url);
  changed.searchParams.set('options', `-c ${setting}`);
  return changed.href;
}

const broken = { isDone: 'false', statements: ['SELECT 1/0'] };

describeOnOwnDatabase('the schema', (newDatabase) => {
  test('is made once when many servers start concurrently', async () => {
    const url = await newDatabase();
    const stores = await Promise.all(Array.from({ length: 12 }, () => openPostgresStore(url, { poolSize: 2 })));
    const added = await Promise.all(stores.map((store) => apiOf(handlers(store)).createPet(rex)));
    expect(added.map(({ id }) => id).sort((a, b) => a - b)).toEqual(stores.map((_, i) => i + 1));
    for (const store of stores) await store.close();
  });

  test('needs no right to change it if it is up to date', async () => {
    const url = await newDatabase();
    await (await openPostgresStore(url)).close();
    const session = await openSession(url);
    await session.run({ text: 'SET default_transaction_read_only = on' }, 5_000);
    await migrate(session, schemaOf(allCollections));
  });

  test('is completed after a killed start, whose lock is released', async () => {
    const url = await newDatabase();
    const killed = await openSession(url);
    const [first] = schemaOf(allCollections);
    await expect(migrate(killed, first ? [first, broken] : [])).rejects.toThrow('zero');
    const waiting = openPostgresStore(url);
    await killed.end();
    const store = await waiting;
    onTestFinished(() => store.close());
    expect(await apiOf(handlers(store)).createPet(rex)).toMatchObject({ id: 1 });
  });

  test('waits for the lock of another server for a limited time', async () => {
    const url = await newDatabase();
    await expect(migrate(await openSession(url), [broken])).rejects.toThrow('zero');
    const other = migrate(await openSession(url), schemaOf(allCollections), 100);
    await expect(other).rejects.toThrow('another server');
  });

  test('gets the index of a property that is declared later, also after an interruption', async () => {
    const url = await newDatabase();
    const before = await openCollections(url, [{ ...things, indexes: [] }]);
    onTestFinished(() => before.close());
    await addMany(before.collection('things'), 40);
    const session = await openSession(url);
    await (await openCollections(url, [things])).close();
    const text = `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'documents_things_by_color'::regclass`;
    await session.run({ text }, 5_000);
    const store = await openCollections(url, [things]);
    onTestFinished(() => store.close());
    const red = await contents(store.collection('things'), {
      after: 0,
      limit: 100,
      filter: { property: 'color', value: 'red' },
    });
    expect(red).toHaveLength(10);
    await before.collection('things').create({ color: 'red' });
  });
});

describeOnOwnDatabase('a migration', (newDatabase) => {
  test('may take longer than the statement_timeout of the database', async () => {
    const url = await newDatabase();
    const before = await openCollections(url, [{ ...things, indexes: [] }]);
    onTestFinished(() => before.close());
    const writer = await openSession(url);
    await writer.run({ text: 'BEGIN; LOCK TABLE documents_things IN ROW EXCLUSIVE MODE' }, 5_000);
    const observer = await openSession(url);
    const opening = openCollections(withSetting(url, 'statement_timeout=200'), [things]);
    const longRunning = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'CREATE INDEX%' AND now() - query_start > '500 ms'`;
    const isLong = vi.waitFor(async () => {
      expect((await observer.run({ text: longRunning }, 5_000)).rows).toHaveLength(1);
    }, 10_000);
    await Promise.race([isLong, opening]);
    await writer.run({ text: 'COMMIT' }, 5_000);
    await (await opening).close();
  });
});

describeOnOwnDatabase('a database of the first format', (newDatabase) => {
  /** Pets as the previous version stored them. */
  async function filled() {
    const url = await newDatabase();
    const session = await openSession(url);
    for (const text of format1.schema) await session.run({ text }, 5_000);
    const names = ['Rex', 'Ünïcødé 猫 \u2028 "quoted" \\ \u0001\u007f\b\f\n\r\t/', ''];
    const categories = ['9223372036854775807', '-9223372036854775808', '0'];
    const values = [3, names, categories, ['sold', null, 'available'], 'older', 1];
    await session.write({ ...format1.create, values }, 5_000);
    return { url, session };
  }
  const carried = [
    '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"sold"}',
    `{"id":2,"name":${JSON.stringify('Ünïcødé 猫 \u2028 "quoted" \\ \u0001\u007f\b\f\n\r\t/')},"categoryId":-9223372036854775808}`,
    '{"id":3,"name":"","categoryId":0,"status":"available"}',
  ];

  test('is migrated once, to the text that this version would have stored', async () => {
    const { url } = await filled();
    const stores = await Promise.all(Array.from({ length: 5 }, () => open(url)));
    for (const store of stores) {
      const page = await store.collection('pets').list({ after: 0, limit: 9 });
      expect(page.json.text).toBe(`[${carried.join(',\n')}]`);
      expect(await apiOf(handlers(store)).listPets({ limit: 9, status: 'sold' })).toEqual([
        decode({ text: carried[0] ?? '', encoding: 'utf8' }),
      ]);
    }
    const [store] = stores;
    expect((await store?.collection('pets').create({ ...rex }))?.id).toBe(4);
  });

  test('still serves servers of the previous version after the migration; both versions see all writes', async () => {
    const { url, session: older } = await filled();
    const store = await open(url);
    const pets = store.collection('pets');
    await older.write(format1.probe, 5_000);
    const adding = (name: string, number: number) =>
      older.write({ ...format1.create, values: [1, [name], [7], ['sold'], 'older', number] }, 5_000);
    expect((await adding('by the older', 2)).rows).toEqual([['3', '1']]);
    const newer = await pets.create({ name: 'U+0000: \u0000', categoryId: 8 });
    expect(newer.id).toBe(5);
    await pets.replace(1, { name: 'Tom', categoryId: 1, status: 'pending' });
    await pets.remove(2);
    expect((await adding('again', 3)).rows).toEqual([['5', '1']]);
    expect((await everything(pets)).map(({ id, name }) => [id, name])).toEqual([
      [1, 'Tom'],
      [3, ''],
      [4, 'by the older'],
      [5, 'U+0000: \u0000'],
      [6, 'again'],
    ]);
    const rows = async (status?: string) =>
      (await older.run({ ...format1.list(status), values: [0, 100, 2 ** 20] }, 5_000)).rows;
    expect((await rows()).map(([id, name]) => [id, name])).toEqual([
      ['1', 'Tom'],
      ['3', ''],
      ['4', 'by the older'],
      ['5', 'U+0000: \ufffd'],
      ['6', 'again'],
    ]);
    expect(await rows('pending')).toEqual([['1', 'Tom', '1', 'pending']]);
    expect((await older.run({ ...format1.get, values: [5] }, 5_000)).rows[0]?.slice(2)).toEqual(['8', null]);
    // A create that an older server abandoned is never stored.
    await expect(adding('late', 3)).rejects.toThrow('division by zero');
  });

  test('is migrated while servers of the previous version write, and loses nothing', async () => {
    const { url, session } = await filled();
    const isOver = { now: false };
    let number = 1;
    const names: string[] = [];
    const writing = (async () => {
      while (!isOver.now) {
        const name = `pet ${++number}`;
        await session.write({ ...format1.create, values: [1, [name], [7], [null], 'older', number] }, 10_000);
        names.push(name);
      }
    })();
    await expect.poll(() => names.length).toBeGreaterThan(5);
    const store = await open(url);
    const before = names.length;
    await expect.poll(() => names.length).toBeGreaterThan(before + 5);
    isOver.now = true;
    await writing;
    expect((await everything(store.collection('pets'))).slice(3).map(({ name }) => name)).toEqual(names);
  });

  test('is migrated with the pets of a transaction that the migration waits for, also where the default isolation is stricter', async () => {
    const { url, session } = await filled();
    const observer = await openSession(url);
    await session.run({ text: 'BEGIN' }, 5_000);
    await session.run({ ...format1.create, values: [1, ['meanwhile'], [7], [null], 'older', 2] }, 5_000);
    const opening = openPostgresStore(withSetting(url, 'default_transaction_isolation=repeatable\\ read'));
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'DO $convert$%' AND wait_event_type = 'Lock'`;
    const isWaiting = vi.waitFor(async () => {
      expect((await observer.run({ text: waiting }, 5_000)).rows).toHaveLength(1);
    }, 10_000);
    await Promise.race([isWaiting, opening]);
    await session.run({ text: 'COMMIT' }, 5_000);
    const store = await opening;
    onTestFinished(() => store.close());
    expect((await everything(store.collection('pets'))).at(-1)).toMatchObject({ name: 'meanwhile' });
  });
});
