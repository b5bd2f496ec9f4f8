import type { ApiError, Pet } from '@petstore/types';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { WarnedCommitError } from '../../src/store/postgres/errors.ts';
import { openPostgresStore, type PostgresStore } from '../../src/store/postgres/postgres.ts';
import { Session } from '../../src/store/postgres/session.ts';
import { insertion, keptBefore, surrender } from '../../src/store/postgres/sql.ts';
import { type Listening, listen } from '../listen.ts';
import { Cluster } from './database/cluster.ts';
import { describeOnClusters } from './database/database.ts';

const timeouts = { connectTimeout: 500, statementTimeout: 500 };
const rex = { name: 'Rex', categoryId: 1 };

describeOnClusters('a database in trouble', (programs) => {
  let cluster: Cluster;
  let store: PostgresStore;
  let server: Listening;

  beforeEach(async () => {
    cluster = await Cluster.create(programs);
    await cluster.start();
    store = await openPostgresStore(cluster.url(), { ...timeouts, poolSize: 3 });
    server = await listen({}, store);
  }, 60_000);
  afterEach(async () => {
    await server.close();
    await store.close();
    await cluster.remove();
  });

  const call = (path: string, body?: object) =>
    fetch(`${server.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
  const add = () => call('/pets', rex);
  const ready = async () => (await fetch(`${server.origin}/readyz`)).status;

  /** Every operation is refused in a way that says when to come back. None may hang: the test would time out. */
  async function expectRefusals() {
    for (const answer of await Promise.all([add(), add(), call('/pets'), call('/pets/1')])) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(((await answer.json()) as ApiError).code).toBe('unavailable');
    }
    expect(await ready()).toBe(503);
  }

  async function expectRecovery() {
    await vi.waitFor(async () => expect(await ready()).toBe(200), { timeout: 20_000, interval: 20 });
    const added = await add();
    expect(added.status).toBe(201);
    const { id } = (await added.json()) as Pet;
    expect((await call(`/pets/${id}`)).status).toBe(200);
  }

  test.each(['kill', 'stop'] as const)(
    '%s: refused while it is gone, served when it is back',
    async (end) => {
      expect((await add()).status).toBe(201);
      await cluster[end]();
      await expectRefusals();
      await expectRefusals();
      await cluster.start();
      await expectRecovery();
    },
    60_000,
  );

  test('silent: refused while it says nothing, served when it goes on', async () => {
    expect((await add()).status).toBe(201);
    await cluster.signal('SIGSTOP');
    await expectRefusals();
    await expectRefusals();
    await cluster.signal('SIGCONT');
    await expectRecovery();
  }, 60_000);

  test('restarted between two requests: the next one is served as if nothing had been', async () => {
    await add();
    await cluster.stop();
    await cluster.start();
    expect([(await add()).status, (await call('/pets')).status]).toEqual([201, 200]);
  }, 60_000);

  test('slow: what is read is given up, on both sides', async () => {
    await add();
    const blocked = cluster.ask(`BEGIN; LOCK TABLE pets; SELECT pg_sleep(2); COMMIT`);
    await vi.waitFor(async () => expect((await call('/pets')).status).toBe(503), 10_000);
    await blocked;
    await expectRecovery();
    const asking = `SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT id, name%' AND state = 'active'`;
    expect(await cluster.ask(asking)).toEqual([{ count: '0' }]);
  }, 60_000);

  test('set to be read only: animals are refused, and taken when it is over', async () => {
    await add();
    const all = (mode: string) => `ALTER SYSTEM SET default_transaction_read_only = ${mode}`;
    await cluster.ask(all('on'));
    cluster.reload();
    await vi.waitFor(async () => expect((await add()).status).toBe(503), { timeout: 20_000, interval: 20 });
    await cluster.ask(all('off'));
    cluster.reload();
    await expectRecovery();
  }, 60_000);

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

  test('a wait for the standby that is cancelled: the success that the database answers is a failure', async () => {
    const session = await Session.open(cluster.url(), 5_000, () => {});
    onTestFinished(() => session.end());
    waitFor('nobody');
    const text = `INSERT INTO pets SELECT coalesce(max(id), 0) + 1, 'Rex', 1 FROM pets`;
    const { outcome } = await stuck(() => session.keep({ text, rowMode: 'array' }, 30_000));
    const refused = expect(outcome).rejects.toThrow(WarnedCommitError);
    await cluster.ask(`SELECT pg_cancel_backend(pid) FROM (${waiting}) AS waits`);
    await refused;
  }, 60_000);

  test('without the standby it has to wait for: nothing is acknowledged, and animals can be read', async () => {
    await add();
    waitFor('nobody');
    await vi.waitFor(async () => expect((await add()).status).toBe(503), { timeout: 20_000, interval: 20 });
    await vi.waitFor(async () => expect(await ready()).toBe(503), { timeout: 20_000, interval: 20 });
    expect((await add()).status).toBe(503);
    expect((await call('/pets')).status).toBe(200);
    waitFor('');
    await expectRecovery();
  }, 60_000);

  test.each(['pg_cancel_backend', 'pg_terminate_backend'])(
    'an answer that was lost by %s is found again',
    async (end) => {
      const patient = await openPostgresStore(cluster.url(), { connectTimeout: 20_000, statementTimeout: 20_000 });
      onTestFinished(() => patient.close());
      await patient.create(rex);
      waitFor('nobody');
      const { outcome } = await stuck(() => patient.create({ name: 'lost', categoryId: 1 }));
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
      const kept = await patient.list({ after: 0, limit: 5_000 });
      expect(kept.at(-1)).toEqual({ id, name: 'lost', categoryId: 1 });
      expect(kept.at(-2)?.id).toBe(id - 1);
    },
    60_000,
  );

  test('a commit that was given up is not kept any more, however late it comes', async () => {
    const late = await Session.open(cluster.url(), 5_000, () => {});
    const other = await Session.open(cluster.url(), 5_000, () => {});
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
    expect(await store.list({ after: 0, limit: 5 })).toHaveLength(2);
  }, 60_000);

  test('not there at all: the start ends in bounded time', async () => {
    await cluster.stop();
    await expect(openPostgresStore(cluster.url(), timeouts)).rejects.toThrow(StoreUnavailableError);
    await cluster.start();
  }, 60_000);
});
