import type { Load } from '@petstore/testing/load';
import type { NewCluster } from '@petstore/testing/postgres';
import type { Cluster } from '@petstore/testing/postgres/cluster';
import type { ServerProcess } from '@petstore/testing/server';
import { expect, onTestFinished, vi } from 'vitest';
import { openPostgresStore } from '../../src/store/open.ts';
import { startOnDatabase } from '../server-process.ts';

export interface Pair {
  primary: Cluster;
  standby: Cluster;
  /** The standby comes first, so the servers have to find the host that accepts writes. */
  url: string;
}

/** Two running clusters, the second one a standby of the first. */
export async function startPair(newCluster: NewCluster): Promise<Pair> {
  const primary = await newCluster();
  onTestFinished(() => primary.remove());
  const standby = await primary.standby('standby');
  onTestFinished(() => standby.remove());
  await Promise.all([primary.start(), standby.start()]);
  const store = await openPostgresStore(primary.url());
  await store.close();
  await vi.waitFor(async () => {
    const [state] = await primary.ask<{ state: string }>('SELECT state FROM pg_stat_replication');
    expect(state?.state).toBe('streaming');
  }, 30_000);
  return { primary, standby, url: `postgres://petstore@${standby.host},${primary.host}/postgres` };
}

/** From now on, the primary waits for the standby before it acknowledges a commit. */
export async function makeSynchronous(primary: Cluster): Promise<void> {
  primary.set(`synchronous_standby_names = 'standby'`);
  primary.reload();
  await vi.waitFor(async () => {
    const [state] = await primary.ask<{ sync_state: string }>('SELECT sync_state FROM pg_stat_replication');
    expect(state?.sync_state).toBe('sync');
  }, 30_000);
}

/** Two servers that wait for the database for at most a second. */
export async function startServers(url: string): Promise<ServerProcess[]> {
  const timeouts = { PETSTORE_DATABASE_CONNECT_TIMEOUT: '1', PETSTORE_DATABASE_STATEMENT_TIMEOUT: '1' };
  const servers = await Promise.all([startOnDatabase(url, timeouts), startOnDatabase(url, timeouts)]);
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.kill()))));
  return servers;
}

/** The known pets that the database does not have. */
export async function missingFrom(survivor: Cluster, known: Map<number, string>): Promise<[number, string][]> {
  const rows = await survivor.ask<{ id: string; name: string }>(
    `SELECT id, data ->> 'name' AS name FROM documents_pets`,
  );
  const stored = new Map(rows.map(({ id, name }) => [Number(id), name]));
  return [...known].filter(([id, name]) => stored.get(id) !== name);
}

/** The milliseconds from a moment to the first 201 to a request that was sent after it. */
export function firstAfter(load: Load, moment: number): number {
  const first = load.acknowledged.find(({ sent }) => sent > moment);
  return Math.round((first?.responded ?? Number.NaN) - moment);
}
