import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { randomNumbers, seed } from '../store/numbers.ts';
import { Cluster } from './database/cluster.ts';
import { describeOnClusters } from './database/database.ts';
import { Load } from './servers/load.ts';
import { type ServerProcess, startServer } from './servers/server.ts';
import { Walker } from './servers/walker.ts';

const rounds = Number(process.env.CRASH_ROUNDS ?? 20);

describeOnClusters('three servers on one database', (programs) => {
  test(`lose nothing when they or it are killed under 64 writers, ${rounds} times over`, {
    timeout: 60_000 + rounds * 15_000,
  }, async () => {
    const random = randomNumbers(seed());
    const cluster = await Cluster.create(programs);
    onTestFinished(() => cluster.remove());
    await cluster.start();
    const start = () => startServer(cluster.url());
    const servers: ServerProcess[] = await Promise.all([start(), start(), start()]);
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.kill()))));
    const urls = () => servers.map(({ baseUrl }) => baseUrl);

    const load = new Load(urls, 64);
    const walkers = [new Walker(urls), new Walker(urls, '&status=available')];
    let databases = 0;
    for (let round = 0; round < rounds; round++) {
      await load.more(200);
      await pause(random(200));
      const victim = round % 3 === 2 ? -1 : random(3);
      const server = servers[victim];
      if (server) {
        await server.kill();
        servers[victim] = await start();
      } else {
        databases++;
        await cluster.kill();
        await pause(random(300));
        await cluster.start();
      }
    }
    await load.more(200);
    await load.stop();

    const kept = await cluster.ask<{ id: string; name: string }>('SELECT id, name FROM pets ORDER BY id');
    const animals = kept.map(({ id, name }) => ({ id: Number(id), name }));
    expectKept(load.known, animals);
    const ids = animals.map(({ id }) => id);
    for (const walker of walkers) expect(await walker.stop(), 'the pages skip or repeat').toEqual(ids);
    for (const server of servers) {
      const { status } = await fetch(`${server.origin}/readyz`);
      expect(status).toBe(200);
    }
    console.log(
      `${load.known.size} animals acknowledged, all there; ${load.refused} refused with 503; ` +
        `killed ${rounds - databases} servers and ${databases} times the database`,
    );
  });
});

/** Every animal that was acknowledged is there, exactly once. */
function expectKept(known: Map<number, string>, kept: readonly { id: number; name: string }[]) {
  const byId = new Map(kept.map(({ id, name }) => [id, name]));
  expect(byId.size, 'an identifier is there twice').toBe(kept.length);
  expect(new Set(byId.values()).size, 'an animal is there twice').toBe(kept.length);
  expect(
    [...known].filter(([id, name]) => byId.get(id) !== name),
    'acknowledged, but not kept',
  ).toEqual([]);
}
