import { setTimeout as pause } from 'node:timers/promises';
import { rounds } from '@petstore/testing';
import { Load, type ServerProcess, Walker } from '@petstore/testing/load';
import { describeOnClusters } from '@petstore/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../server-process.ts';
import { randomNumbers, seed } from '../store/numbers.ts';

const count = rounds(2, 40);
const serverCount = rounds(2, 3);

describeOnClusters(`${serverCount} servers on one database`, (newCluster) => {
  test(`lose nothing when they or it are killed under 64 writers, ${count} times`, async () => {
    const random = randomNumbers(seed());
    const cluster = await newCluster();
    onTestFinished(() => cluster.remove());
    await cluster.start();
    const start = () => startServer(cluster.url());
    const servers: ServerProcess[] = await Promise.all(Array.from({ length: serverCount }, start));
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.kill()))));
    const urls = () => servers.map(({ baseUrl }) => baseUrl);

    const load = new Load(urls, 64);
    const walkers = [new Walker(urls), new Walker(urls, '&status=available')];
    let databaseKills = 0;
    for (let round = 0; round < count; round++) {
      await load.more(200);
      await pause(random(200));
      // The last of each round of turns is the database.
      const victim = round % serverCount === serverCount - 1 ? -1 : random(serverCount);
      const server = servers[victim];
      if (server) {
        await server.kill();
        servers[victim] = await start();
      } else {
        databaseKills++;
        await cluster.kill();
        await pause(random(300));
        await cluster.start();
      }
    }
    await load.more(200);
    await load.stop();

    const rows = await cluster.ask<{ id: string; name: string }>('SELECT id, name FROM pets ORDER BY id');
    const stored = rows.map(({ id, name }) => ({ id: Number(id), name }));
    expectStored(load.known, stored);
    const ids = stored.map(({ id }) => id);
    for (const walker of walkers) expect(await walker.stop(), 'the pages skip or repeat').toEqual(ids);
    for (const server of servers) {
      const { status } = await fetch(`${server.origin}/readyz`);
      expect(status).toBe(200);
    }
    console.log(
      `${load.known.size} pets acknowledged, all stored; ${load.refused} requests answered 503; ` +
        `killed ${count - databaseKills} servers, and the database ${databaseKills} times`,
    );
  });
});

/** Every pet that was acknowledged is stored, exactly once. */
function expectStored(known: Map<number, string>, stored: readonly { id: number; name: string }[]) {
  const byId = new Map(stored.map(({ id, name }) => [id, name]));
  expect(byId.size, 'an identifier is stored twice').toBe(stored.length);
  expect(new Set(byId.values()).size, 'a pet is stored twice').toBe(stored.length);
  expect(
    [...known].filter(([id, name]) => byId.get(id) !== name),
    'acknowledged, but not stored',
  ).toEqual([]);
}
