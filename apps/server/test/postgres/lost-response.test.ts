import { describeOnClusters } from '@petstore/testing/postgres';
import type { Cluster } from '@petstore/testing/postgres/cluster';
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { StoreUncertainError } from '../../src/store/errors.ts';
import { openPostgresStore, type PostgresStore } from '../../src/store/postgres/postgres.ts';
import { fence, outcome as outcomeOf, statementsOf, sweepKeys } from '../../src/store/postgres/statements.ts';
import type { Collection } from '../../src/store/store.ts';
import { contentOf, everything } from '../store/store-contents.ts';
import { once, things } from '../store/store-fixture.ts';
import { openSession } from './session.ts';

describeOnClusters('a commit whose result is lost', (newCluster) => {
  let cluster: Cluster;
  let store: PostgresStore;
  let collection: Collection;
  let url: string;
  let tests = 0;

  beforeAll(async () => {
    cluster = await newCluster();
    await cluster.start();
    return () => cluster.remove();
  });
  beforeEach(async () => {
    const database = `test${++tests}`;
    await cluster.ask(`CREATE DATABASE ${database}`);
    url = cluster.url(database);
    store = await openPostgresStore(url, [things], { connectTimeout: 20_000, statementTimeout: 20_000 });
    collection = store.collection('things');
    // Opens the connection for writes before a test requires a standby, because opening it commits.
    await vi.waitFor(async () => expect(await store.ready()).toBe(true), 20_000);
  });
  afterEach(async () => {
    requireStandby('');
    await store.close();
  });

  const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '%pet%'`;

  function requireStandby(standby: string) {
    cluster.set(`synchronous_standby_names = '${standby}'`);
    cluster.reload();
  }

  /** Repeats a write until it waits for the standby, because the database applies the new setting with a delay. */
  async function stuck<T>(begin: () => Promise<T>): Promise<{ outcome: Promise<T> }> {
    for (let tries = 0; tries < 1000; tries++) {
      let settled = false;
      const outcome = begin();
      const settle = () => {
        settled = true;
      };
      outcome.then(settle, settle);
      while (!settled) if ((await cluster.ask(waiting)).length > 0) return { outcome };
    }
    throw new Error('Nothing waits for the standby.');
  }

  /** Ends the connection or the statement that waits for the standby, and removes the standby once the store looks up the commit. */
  async function loseResult(end = 'pg_terminate_backend', doMeanwhile = async () => {}) {
    const [{ pid } = { pid: 0 }] = await cluster.ask<{ pid: number }>(waiting);
    await cluster.ask(`SELECT ${end}(${pid})`);
    // The write is not acknowledged before it is on the standby: another connection waits for it now.
    const others = `${waiting} AND pid <> ${pid}`;
    await vi.waitFor(async () => expect(await cluster.ask(others)).toHaveLength(1), { timeout: 10_000, interval: 20 });
    await doMeanwhile();
    requireStandby('');
  }

  test.each(['warning', 'error'])(
    'a cancelled wait for the standby is a failure, although the database reports success, for a role with client_min_messages %s',
    async (level) => {
      await cluster.ask(`ALTER ROLE petstore SET client_min_messages = ${level}`);
      onTestFinished(async () => void (await cluster.ask('ALTER ROLE petstore RESET client_min_messages')));
      const session = await openSession(url);
      requireStandby('nobody');
      const text = `INSERT INTO petstore_collections SELECT 'c' || count(*), 0 FROM petstore_collections`;
      const { outcome } = await stuck(() => session.write({ text }, 30_000));
      const rejected = expect(outcome).rejects.toThrow('with a warning');
      await cluster.ask(`SELECT pg_cancel_backend(pid) FROM (${waiting}) AS waits`);
      await rejected;
    },
  );

  test.each(['pg_cancel_backend', 'pg_terminate_backend'])(
    'a result lost by %s is found again, for each write of the commit',
    async (end) => {
      const spare = await Promise.all(Array.from({ length: 300 }, () => collection.create({})));
      // The writes may be repeated, each time with other documents.
      let [changed, removed, left] = spare;
      requireStandby('nobody');
      const { outcome } = await stuck(() => {
        [changed, removed, left] = spare.splice(0, 3);
        return Promise.all([
          collection.create({ text: 'lost' }),
          collection.replace(changed?.id ?? 0, { text: 'lost, too' }, { ifVersion: changed?.version ?? '' }),
          collection.remove(removed?.id ?? 0),
          collection.remove(left?.id ?? 0, { ifVersion: '1' }),
          collection.replace(12_345, {}),
        ]);
      });
      await loseResult(end);
      const [created, replaced, ...rest] = await outcome;
      expect(rest).toEqual([{ outcome: 'removed' }, { outcome: 'conflict' }, { outcome: 'missing' }]);
      expect(replaced.outcome).toBe('stored');
      expect(await collection.get(changed?.id ?? 0)).toEqual(replaced);
      expect((await everything(collection)).at(-1)).toEqual({ key: created.id, text: 'lost' });
      expect(await contentOf(collection, removed?.id ?? 0)).toBeUndefined();
      expect(await contentOf(collection, left?.id ?? 0)).toEqual({ key: left?.id });
    },
  );

  test('a commit whose result is lost while others wait for the connection is stored once', async () => {
    let tries = 0;
    requireStandby('nobody');
    const { outcome } = await stuck(() => collection.create({ size: ++tries }));
    const restored = [1, 2, 3].map((n) => collection.restore([{ key: n * 1_000_000 }]));
    await loseResult();
    expect(await Promise.all(restored)).toEqual([true, true, true]);
    const { id } = await outcome;
    const found = await everything(collection);
    expect(found.filter(({ size }) => size === tries)).toEqual([{ key: id, size: tries }]);
    expect(found).toHaveLength(tries + 3);
  });

  test('after a lost result, idempotency keys tell which writes were done', async () => {
    const before = await collection.create({ text: 'before' }, once('before'));
    let tries = 0;
    requireStandby('nobody');
    const { outcome } = await stuck(() => {
      tries++;
      return Promise.all([
        collection.create({ text: 'lost' }, once(`one ${tries}`)),
        collection.create({ text: 'before' }, once('before')),
        collection.create({ text: 'lost' }),
        collection.create({ text: 'lost' }, once(`other ${tries}`)),
      ]);
    });
    await loseResult();
    const [one, known, plain, other] = await outcome;
    expect(known).toMatchObject({ id: before.id, isReplayed: true });
    expect([one, plain, other].map(({ id, isReplayed }) => [id - one.id, isReplayed])).toEqual([
      [0, undefined],
      [1, undefined],
      [2, undefined],
    ]);
    expect((await everything(collection)).slice(-3).map(({ key }) => key)).toEqual([one.id, plain.id, other.id]);
    expect(await collection.create({ text: 'lost' }, once(`other ${tries}`))).toMatchObject({
      id: other.id,
      isReplayed: true,
    });
  });

  test('after a lost result, writes are uncertain if another server has evicted one of their keys', async () => {
    const other = await openSession(url);
    await other.run({ text: 'SET synchronous_commit = local' }, 5_000);
    requireStandby('nobody');
    let tries = 0;
    const { outcome } = await stuck(() => {
      tries++;
      return Promise.allSettled([
        collection.create({ text: 'evicted' }, once(`evicted ${tries}`)),
        collection.create({ text: 'plain' }),
        collection.create({ text: 'newest' }, once(`newest ${tries}`)),
      ]);
    });
    await loseResult('pg_terminate_backend', async () => {
      await other.write({ ...sweepKeys, values: [1_000, 1] }, 5_000);
    });
    const uncertain = { status: 'rejected', reason: expect.any(StoreUncertainError) };
    expect(await outcome).toEqual([uncertain, uncertain, uncertain]);
    expect(await everything(collection)).toHaveLength(3 * tries);
  });

  test.each([
    ['keys', 'LOCK TABLE petstore_idempotency'],
    ['number', 'ALTER TABLE petstore_commits RENAME TO renamed'],
  ])('after a lost result, writes are uncertain if their %s cannot be looked up', async (_, text) => {
    const impatient = await openPostgresStore(url, [things], { connectTimeout: 20_000, statementTimeout: 2_000 });
    onTestFinished(() => impatient.close());
    const other = await openSession(url);
    await vi.waitFor(async () => expect(await impatient.ready()).toBe(true), 20_000);
    const writes = impatient.collection('things');
    requireStandby('nobody');
    const { outcome } = await stuck(() => Promise.allSettled([writes.create({}), writes.create({}, once('k'))]));
    await other.run({ text: 'BEGIN' }, 5_000);
    const locked = other.run({ text }, 5_000);
    await cluster.ask(`SELECT pg_terminate_backend(pid) FROM (${waiting}) AS waits`);
    await locked;
    requireStandby('');
    if (text.startsWith('ALTER')) await other.run({ text: 'COMMIT' }, 5_000);
    const uncertain = { status: 'rejected', reason: expect.any(StoreUncertainError) };
    expect(await outcome).toEqual([uncertain, uncertain]);
    expect((await everything(collection)).length).toBeGreaterThanOrEqual(2);
  });

  test('a fenced commit is never stored, however late it arrives', async () => {
    const [late, other] = [await openSession(url), await openSession(url)];
    const { create } = statementsOf(things);
    const creating = (number: number, count: number) => ({
      ...create,
      values: ['a server', number, 1, count, JSON.stringify(Array.from({ length: count }, () => ({})))],
    });
    const [seventh, eighth] = [7, 8].map((number) => ({ values: ['a server', number] }));
    expect((await other.write({ ...fence, ...seventh }, 5_000)).rows).toEqual([['7']]);
    await expect(late.write(creating(7, 1), 5_000)).rejects.toThrow('division by zero');
    await late.write(creating(8, 2), 5_000);
    expect((await other.write({ ...fence, ...eighth }, 5_000)).rows).toEqual([]);
    expect((await other.run({ ...outcomeOf, ...eighth }, 5_000)).rows).toEqual([['0', null]]);
    expect(await everything(collection)).toHaveLength(2);
  });
});
