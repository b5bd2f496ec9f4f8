import { rounds } from '@petstore/testing';
import { Load } from '@petstore/testing/load';
import { describeOnClusters } from '@petstore/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { startWriters } from '../store/start-writers.ts';
import { openThings } from '../store/store-fixture.ts';
import { WrittenModel } from '../store/written-model.ts';
import { firstAfter, makeSynchronous, missingFrom, startPair, startServers } from './failover.ts';

describeOnClusters('a primary and a standby', (newCluster) => {
  test('no acknowledged write is lost when the primary is killed under load, and none is done twice', async () => {
    const { primary, standby, url } = await startPair(newCluster);
    await (await openThings(url)).close();
    await makeSynchronous(primary);
    const servers = await startServers(url);
    const load = new Load(() => servers.map(({ baseUrl }) => baseUrl), 64);
    const writers = ['one', 'two'].map((word) => startWriters(url, word, 16));
    const acknowledging = (pets: number, writes: number) =>
      Promise.all([load.more(pets), ...writers.map((one) => one.printed(one.lines() + 32 + writes))]);
    await acknowledging(rounds(300, 3000), rounds(200, 2000));
    await primary.kill();
    const killed = performance.now();
    await standby.promote();
    await acknowledging(rounds(100, 1000), rounds(200, 2000));
    await load.stop();
    const model = new WrittenModel();
    for (const { word, child, ended, errors } of writers) {
      child.kill('SIGKILL');
      model.learn(await ended, word);
      expect(errors()).toBe('');
    }
    expect(await missingFrom(standby, load.known)).toEqual([]);
    const store = await openThings(url);
    onTestFinished(() => store.close());
    await model.check(store);
    console.log(
      `0 of ${load.known.size} acknowledged pets and ${model.acknowledged} writes lost, first 201 after ${firstAfter(load, killed)} ms, ${load.unavailable} responses with 503`,
    );
  });
});
