import { Load } from '@petstore/testing/load';
import { describeOnClusters } from '@petstore/testing/postgres';
import { expect, test } from 'vitest';
import { firstAfter, makeSynchronous, missingFrom, startPair, startServers } from './failover.ts';

describeOnClusters('a primary and a standby', (newCluster) => {
  test('writes are lost where the standby lags and replication is asynchronous', async () => {
    const { primary, standby, url } = await startPair(newCluster);
    const servers = await startServers(url);
    const load = new Load(() => servers.map(({ baseUrl }) => baseUrl), 64);
    await load.more(1000);
    const [sender] = await primary.ask<{ pid: number }>('SELECT pid FROM pg_stat_replication');
    process.kill(sender?.pid ?? 0, 'SIGSTOP');
    await load.more(3000);
    await primary.kill();
    // Later pets may get an identifier that was lost.
    const before = new Map(load.known);
    await load.stop();
    await standby.promote();
    const lost = (await missingFrom(standby, before)).length;
    console.log(`asynchronous, as the control: ${lost} of ${before.size} acknowledged lost`);
    expect(lost).toBeGreaterThan(0);
  });

  test('servers switch to the promoted standby, although the old primary still runs', async () => {
    const { primary, standby } = await startPair(newCluster);
    await makeSynchronous(primary);
    const servers = await startServers(`postgres://petstore@${primary.host},${standby.host}/postgres`);
    const load = new Load(() => servers.map(({ baseUrl }) => baseUrl), 16);
    await load.more(500);
    await standby.promote();
    const promoted = performance.now();
    // Only the promoted standby can acknowledge these pets: the old primary waits for its standby.
    await load.more(500);
    await load.stop();
    expect(await missingFrom(standby, load.known)).toEqual([]);
    console.log(`unfenced: 0 of ${load.known.size} lost, first 201 after ${firstAfter(load, promoted)} ms`);
  });
});
