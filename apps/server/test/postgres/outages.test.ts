import { describeOnClusters } from '@petstore/testing/postgres';
import type { Cluster } from '@petstore/testing/postgres/cluster';
import type { ApiError, Pet } from '@petstore/types';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { handlers } from '../../src/handlers.ts';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { openPostgresStore } from '../../src/store/open.ts';
import type { PostgresStore } from '../../src/store/postgres/postgres.ts';
import { apiOf } from '../../src/store/stored.ts';
import { type Listening, listen } from '../listen.ts';
import { openSession } from './session.ts';

const timeouts = { connectTimeout: 500, statementTimeout: 500 };
const rex = { name: 'Rex', categoryId: 1 };

describeOnClusters('outages of the database', (newCluster) => {
  let cluster: Cluster;
  let store: PostgresStore;
  let server: Listening;

  // Every test restores the database, and the server continues.
  beforeAll(async () => {
    cluster = await newCluster();
    await cluster.start();
    store = await openPostgresStore(cluster.url(), { ...timeouts, poolSize: 3 });
    server = await listen({}, store);
  });
  afterAll(async () => {
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

  /** Checks that every operation fails with a Retry-After. If one hangs, the test times out. */
  async function expectFailures() {
    for (const response of await Promise.all([add(), add(), call('/pets'), call('/pets/1')])) {
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      // A create that was under way may have been stored.
      expect(['unavailable', 'internal_error']).toContain(((await response.json()) as ApiError).code);
    }
    const pets = store.collection('pets');
    for (const change of [pets.replace(1, rex), pets.remove(1)])
      await expect(change).rejects.toThrow(StoreUnavailableError);
    expect(await ready()).toBe(503);
  }

  async function expectRecovery() {
    await vi.waitFor(async () => expect(await ready()).toBe(200), { timeout: 20_000, interval: 20 });
    const added = await add();
    expect(added.status).toBe(201);
    const { id } = (await added.json()) as Pet;
    expect((await call(`/pets/${id}`)).status).toBe(200);
    const pets = store.collection('pets');
    const changed = await pets.replace(id, { ...rex, status: 'sold' });
    expect(await pets.get(id)).toEqual(changed);
    expect(await pets.remove(id)).toEqual({ outcome: 'removed' });
  }

  test.each(['kill', 'stop'] as const)('%s: requests fail meanwhile, and succeed afterwards', async (end) => {
    expect((await add()).status).toBe(201);
    await cluster[end]();
    await expectFailures();
    await expectFailures();
    await cluster.start();
    await expectRecovery();
  });

  test('unresponsive: requests fail meanwhile, and succeed afterwards', async () => {
    expect((await add()).status).toBe(201);
    await cluster.signal('SIGSTOP');
    await expectFailures();
    await expectFailures();
    await cluster.signal('SIGCONT');
    await expectRecovery();
  });

  test('restarted between two requests: the next one succeeds', async () => {
    await add();
    await cluster.stop();
    await cluster.start();
    expect([(await add()).status, (await call('/pets')).status]).toEqual([201, 200]);
  });

  test('slow: reads are cancelled on both sides', async () => {
    await add();
    const other = await openSession(cluster.url());
    for (const text of ['BEGIN', 'LOCK TABLE documents_pets']) await other.run({ text }, 5_000);
    expect((await call('/pets')).status).toBe(503);
    const active = `SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%string_agg%' AND pid <> pg_backend_pid() AND state = 'active'`;
    await vi.waitFor(async () => expect(await cluster.ask(active)).toEqual([{ count: '0' }]), 10_000);
    await other.end();
    await expectRecovery();
  });

  test('read-only: writes fail meanwhile, and succeed afterwards', async () => {
    await add();
    const all = (mode: string) => `ALTER SYSTEM SET default_transaction_read_only = ${mode}`;
    await cluster.ask(all('on'));
    cluster.reload();
    await vi.waitFor(async () => expect((await add()).status).toBe(503), { timeout: 20_000, interval: 20 });
    await cluster.ask(all('off'));
    cluster.reload();
    await expectRecovery();
  });

  test('without its synchronous standby: writes fail, reads succeed', async () => {
    await add();
    cluster.set(`synchronous_standby_names = 'nobody'`);
    cluster.reload();
    await vi.waitFor(async () => expect((await add()).status).toBe(503), { timeout: 20_000, interval: 20 });
    await vi.waitFor(async () => expect(await ready()).toBe(503), { timeout: 20_000, interval: 20 });
    expect((await add()).status).toBe(503);
    expect((await call('/pets')).status).toBe(200);
    cluster.set(`synchronous_standby_names = ''`);
    cluster.reload();
    await expectRecovery();
  });

  test('without its synchronous standby from the start: not ready, even before a write', async () => {
    cluster.set(`synchronous_standby_names = 'nobody'`);
    cluster.reload();
    const store = await openPostgresStore(cluster.url(), timeouts);
    onTestFinished(() => store.close());
    expect(await store.ready()).toBe(false);
    expect(await apiOf(handlers(store)).listPets({ after: 0, limit: 1 })).toHaveLength(1);
    expect(await store.ready()).toBe(false);
    cluster.set(`synchronous_standby_names = ''`);
    cluster.reload();
    await vi.waitFor(async () => expect(await store.ready()).toBe(true), { timeout: 20_000, interval: 20 });
  });

  test('unreachable: the start fails in bounded time', async () => {
    await cluster.stop();
    await expect(openPostgresStore(cluster.url(), timeouts)).rejects.toThrow(StoreUnavailableError);
    await cluster.start();
  });
});
