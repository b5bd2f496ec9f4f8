import { rounds } from '@petstore/testing';
import { Load } from '@petstore/testing/load';
import { describeOnClusters } from '@petstore/testing/postgres';
import { expect, test } from 'vitest';
import { startPair, startServers } from './failover.ts';

describeOnClusters('a failover of the database', (newCluster) => {
  test('loses no acknowledged pet, and stores none twice', async () => {
    const { standby, url, failOver } = await startPair(newCluster);
    const servers = await startServers(url);
    const load = new Load(() => servers.map(({ baseUrl }) => baseUrl), 64);
    await load.more(rounds(300, 3000));
    await failOver();
    await load.more(rounds(100, 1000));
    await load.stop();

    const rows = await standby.ask<{ id: string; name: string }>(
      `SELECT id, data ->> 'name' AS name FROM documents_pets`,
    );
    const stored = new Map(rows.map(({ id, name }) => [Number(id), name]));
    expect(new Set(stored.values()).size).toBe(rows.length);
    expect([...load.known].filter(([id, name]) => stored.get(id) !== name)).toEqual([]);
  });
});
