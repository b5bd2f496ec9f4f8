import { rounds } from '@petstore/testing';
import { Load } from '@petstore/testing/load';
import { describeOnClusters } from '@petstore/testing/postgres';
import { expect, test } from 'vitest';
import { firstAfter, makeSynchronous, missingFrom, startPair, startServers } from './failover.ts';

describeOnClusters('a primary and a standby', (newCluster) => {
  test('nothing acknowledged is lost when the primary is killed under load', async () => {
    const { primary, standby, url } = await startPair(newCluster);
    await makeSynchronous(primary);
    const servers = await startServers(url);
    const load = new Load(() => servers.map(({ baseUrl }) => baseUrl), 64);
    await load.more(rounds(300, 3000));
    await primary.kill();
    const killed = performance.now();
    await standby.promote();
    await load.more(rounds(100, 1000));
    await load.stop();
    expect(await missingFrom(standby, load.known)).toEqual([]);
    console.log(
      `synchronous: 0 of ${load.known.size} acknowledged lost, first 201 after ${firstAfter(load, killed)} ms, ${load.refused} refused`,
    );
  });
});
