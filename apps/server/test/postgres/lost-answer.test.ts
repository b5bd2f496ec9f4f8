import { describeOnClusters } from '@petstore/testing/postgres';
import type { Cluster } from '@petstore/testing/postgres/cluster';
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { handlers } from '../../src/handlers.ts';
import { WarnedCommitError } from '../../src/store/postgres/errors.ts';
import { openPostgresStore, type PostgresStore } from '../../src/store/postgres/postgres.ts';
import { Session } from '../../src/store/postgres/session.ts';
import { insertion, keptBefore, surrender } from '../../src/store/postgres/sql.ts';

const rex = { name: 'Rex', categoryId: 1 };

describeOnClusters('a commit whose answer is lost', (newCluster) => {
  let cluster: Cluster;
  let store: PostgresStore;
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
    store = await openPostgresStore(url, { connectTimeout: 20_000, statementTimeout: 20_000 });
  });
  afterEach(async () => {
    waitFor('');
    await store.close();
  });

  const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '%pet%'`;

  function waitFor(standby: string) {
    cluster.set(`synchronous_standby_names = '${standby}'`);
    cluster.reload();
  }

  /** Begins something until it waits for the standby, which others begin to miss a moment after the settings were read. */
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

  test.each(['warning', 'error'])(
    'a wait for the standby that is cancelled is a failure, though the database answers success, for a role that hears each %s',
    async (level) => {
      await cluster.ask(`ALTER ROLE petstore SET client_min_messages = ${level}`);
      onTestFinished(async () => void (await cluster.ask('ALTER ROLE petstore RESET client_min_messages')));
      const session = await Session.open(url, 5_000, () => {});
      onTestFinished(() => session.end());
      waitFor('nobody');
      const text = `INSERT INTO pets SELECT coalesce(max(id), 0) + 1, 'Rex', 1 FROM pets`;
      const { outcome } = await stuck(() => session.keep({ text, rowMode: 'array' }, 30_000));
      const refused = expect(outcome).rejects.toThrow(WarnedCommitError);
      await cluster.ask(`SELECT pg_cancel_backend(pid) FROM (${waiting}) AS waits`);
      await refused;
    },
  );

  test.each(['pg_cancel_backend', 'pg_terminate_backend'])(
    'an answer that was lost by %s is found again',
    async (end) => {
      await handlers(store).createPet(rex);
      waitFor('nobody');
      const { outcome } = await stuck(() => handlers(store).createPet({ name: 'lost', categoryId: 1 }));
      const [{ pid } = { pid: 0 }] = await cluster.ask<{ pid: number }>(waiting);
      await cluster.ask(`SELECT ${end}(${pid})`);
      // Nothing is acknowledged until it is where it has to be: another connection waits for the same standby now.
      const others = `${waiting} AND pid <> ${pid}`;
      await vi.waitFor(async () => expect(await cluster.ask(others)).toHaveLength(1), {
        timeout: 10_000,
        interval: 20,
      });
      waitFor('');
      const { id } = await outcome;
      const kept = await handlers(store).listPets({ after: 0, limit: 5_000 });
      expect(kept.at(-1)).toEqual({ id, name: 'lost', categoryId: 1 });
      expect(kept.at(-2)?.id).toBe(id - 1);
    },
  );

  test('a commit that was given up is not kept any more, however late it comes', async () => {
    const late = await Session.open(url, 5_000, () => {});
    const other = await Session.open(url, 5_000, () => {});
    onTestFinished(() => {
      for (const session of [late, other]) session.end();
    });
    const name = { writer: 'a server', number: 7 };
    const { rows } = await other.keep(surrender(name), 5_000);
    expect(rows).toEqual([['7']]);
    await expect(late.keep(insertion([rex], name), 5_000)).rejects.toThrow('division by zero');
    await late.keep(insertion([rex, rex], { ...name, number: 8 }), 5_000);
    expect((await other.keep(surrender({ ...name, number: 8 }), 5_000)).rows).toEqual([]);
    expect((await other.ask(keptBefore({ ...name, number: 8 }), 5_000)).rows).toEqual([['0']]);
    expect(await handlers(store).listPets({ after: 0, limit: 5 })).toHaveLength(2);
  });
});
