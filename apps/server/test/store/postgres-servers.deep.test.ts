// Servers of a database that differ: in their filters, in what they write at the same moment, in what the database refuses.
import { setTimeout as pause } from 'node:timers/promises';
import { ask } from '@petstore/testing/postgres';
import { Client } from 'pg';
import { expect, onTestFinished, type TestContext, test } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres.ts';
import { MAINTENANCE_MS } from '../../src/store/postgres-maintenance.ts';
import {
  type Collection,
  KeyReusedError,
  type Store,
  StoredDocument,
  UnavailableError,
} from '../../src/store/store.ts';
import { describeOnOwnDatabase, describeOnSchema } from '../databases.ts';
import { everything, key, open, others, parsed, things } from './fixture.ts';

/** A server of the version before, which has one filter less. */
const openBefore = (url: string) =>
  openPostgresStore(url, [{ ...things, filters: ['color'] }, others]);

/** The identifiers of the documents with a value of a property. */
async function found(collection: Collection, property: string, value: string): Promise<number[]> {
  const ids: number[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page = await collection.list({ after, limit: 500, filters: { [property]: value } });
    for (const { key } of JSON.parse(page.json)) ids.push(key);
    after = page.next;
  }
  return ids;
}

/** A connection of the test's own. */
async function connected(url: string, onEnd: TestContext['onTestFinished']): Promise<Client> {
  const client = new Client(url);
  await client.connect();
  onEnd(() => client.end());
  return client;
}

describeOnOwnDatabase('an upgrade with a new filter', (newDatabase) => {
  test('goes on while a server without it writes, and finds what that wrote within seconds', async () => {
    const url = await newDatabase();
    const before = await openBefore(url);
    const count = 50_000;
    for (let done = 0; done < count; done += 1000) {
      const creating = Array.from({ length: 1000 }, (_, i) =>
        before.collection('things').create({ color: 'red', size: i % 2 }),
      );
      await Promise.all(creating);
    }
    const opening = { isDone: false };
    const writing = writeAlong(before, opening);
    const store = await open(url);
    opening.isDone = true;
    const written = await writing;
    expect(written).toBeGreaterThan(0);

    const collection = store.collection('things');
    expect((await found(collection, 'size', '1')).length).toBe(count / 2);
    await before.collection('things').replace(1, { color: 'green', size: 7 });
    const { key: created } = parsed(
      await before.collection('things').create({ color: 'green', size: 7 }),
    ) ?? { key: 0 };
    // The filter that both have finds it at once.
    expect(await found(collection, 'color', 'green')).toEqual([1, created]);
    await before.close();
    await expect.poll(() => found(collection, 'size', '7')).toEqual([1, created]);
    await expect
      .poll(async () => (await found(collection, 'size', '0')).length)
      .toBe(count / 2 - 1 + written);
    await store.close();
  });
});

/** Creates documents one after the other until a store is open. Returns how many. */
async function writeAlong(store: Store, opening: { isDone: boolean }): Promise<number> {
  let count = 0;
  for (; !opening.isDone; count++) {
    await store.collection('things').create({ color: 'blue', size: 0 });
    await pause(1);
  }
  return count;
}

describeOnSchema('tables of an earlier format', (newSchema) => {
  test('are refused with what to do, and nothing is changed', async () => {
    const url = await newSchema();
    await ask(url, 'CREATE TABLE petstore_things (id bigint PRIMARY KEY, data json NOT NULL)');
    await expect(open(url)).rejects.toThrow(
      'The table "petstore_things" has an earlier format. Nothing was changed; export the database with the earlier version, and import that into a new one.',
    );
    await expect(ask(url, 'TABLE petstore_counters')).rejects.toThrow('does not exist');
  });
});

describeOnSchema('a commit', (newSchema) => {
  test('of which the database refuses a write does all others, and that one gets the error', async () => {
    const url = await newSchema();
    const store = await open(url);
    await ask(url, `ALTER TABLE petstore_things ADD CHECK (data->>'isBad' IS NULL)`);
    const creating = Array.from({ length: 100 }, (_, i) => {
      const document = i % 40 === 17 ? { i, isBad: true } : { i };
      return store.collection('things', key(`${i}`)).create(document);
    });
    const results = await Promise.allSettled(creating);
    for (const [i, result] of results.entries()) {
      if (i % 40 === 17)
        expect(result).toMatchObject({
          reason: expect.objectContaining({
            message: expect.stringContaining('refused the write'),
          }),
        });
      else expect(result).toMatchObject({ status: 'fulfilled' });
    }
    const all = await everything(store.collection('things'));
    expect(all.map((one) => one.i)).toEqual(
      Array.from({ length: 100 }, (_, i) => i).filter((i) => i % 40 !== 17),
    );
    expect(all.map((one) => one.key)).toEqual(Array.from({ length: 97 }, (_, i) => i + 1));
    // A refused write stores no key.
    expect(await store.replay(key('17'))).toBeUndefined();
    await expect(store.collection('things', key('17')).create({ isBad: true })).rejects.toThrow(
      UnavailableError,
    );
    expect(parsed(await store.collection('things', key('17')).create({}))).toEqual({ key: 98 });
    await store.close();
  });

  test('locks only the collections that it touches, and a replay locks nothing', async () => {
    const url = await newSchema();
    const store = await open(url);
    const created = await store.collection('things', key('k')).create({ a: 1 });
    const other = await connected(url, onTestFinished);
    await other.query(`BEGIN; SELECT * FROM petstore_counters WHERE name = 'others' FOR UPDATE`);
    expect(parsed(await store.collection('things').create({}))).toEqual({ key: 2 });
    await other.query(`SELECT * FROM petstore_counters FOR UPDATE`);
    const replayed = { status: 201, document: new StoredDocument(created.json, true) };
    expect(await store.replay(key('k'))).toEqual(replayed);
    await other.query('COMMIT');
    await store.close();
  });

  test('with a key that is used for another collection at the same moment is done once', async () => {
    const url = await newSchema();
    const stores = await Promise.all([open(url), open(url)]);
    const count = 300;
    for (let round = 0; round < count; round++) {
      const results = await Promise.allSettled([
        stores[0].collection('things', key(`${round}`, 'one')).create({}),
        stores[1].collection('others', key(`${round}`, 'two')).create({}),
      ]);
      const reasons = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(reasons).toEqual([new KeyReusedError()]);
    }
    const [first] = stores;
    const all = [
      ...(await everything(first.collection('things'))),
      ...(await everything(first.collection('others'))),
    ];
    expect(all).toHaveLength(count);
    for (const store of stores) await store.close();
  });

  test('is not slowed by servers that look for keys to forget when nothing is due', async (context) => {
    const url = await newSchema();
    const store = await open(url);
    await store.collection('things', key('k')).create({});
    // The first look is due.
    await pause(2 * MAINTENANCE_MS);
    const other = await connected(url, context.onTestFinished);
    // Nobody can delete a key now.
    await other.query('BEGIN; LOCK TABLE petstore_request_keys IN SHARE MODE');
    const waiting = async () => {
      const { rows } = await other.query(
        `SELECT mode FROM pg_locks WHERE relation = 'petstore_request_keys'::regclass AND NOT granted`,
      );
      return rows;
    };
    for (let look = 0; look < 10; look++) {
      await pause(MAINTENANCE_MS / 3);
      expect(await waiting()).toEqual([]);
    }
    await other.query('COMMIT');
    await store.close();
  });
});
