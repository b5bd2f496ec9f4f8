import { setTimeout as pause } from 'node:timers/promises';
import { rounds } from '@petstore/testing';
import { Load, Walker } from '@petstore/testing/load';
import { describeOnClusters } from '@petstore/testing/postgres';
import type { ServerProcess } from '@petstore/testing/server';
import { expect, onTestFinished, test } from 'vitest';
import { decode, documentsIn } from '../../src/store/document.ts';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import type { Collection } from '../../src/store/store.ts';
import { startOnDatabase } from '../server-process.ts';
import { randomNumbers, seed } from '../store/numbers.ts';
import { startWriters, type Writers } from '../store/start-writers.ts';
import { addMany, everything } from '../store/store-contents.ts';
import { openThings } from '../store/store-fixture.ts';
import { WrittenModel } from '../store/written-model.ts';

const count = rounds(2, 40);
const serverCount = rounds(2, 3);

describeOnClusters(`${serverCount} servers on one database`, (newCluster) => {
  test(`lose nothing when servers or the database are killed under 64 writers, ${count} times`, async () => {
    const random = randomNumbers(seed());
    const cluster = await newCluster();
    onTestFinished(() => cluster.remove());
    await cluster.start();
    const start = () => startOnDatabase(cluster.url());
    const servers: ServerProcess[] = await Promise.all(Array.from({ length: serverCount }, start));
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.kill()))));
    const urls = () => servers.map(({ baseUrl }) => baseUrl);

    const load = new Load(urls, 64);
    const walkers = [new Walker(urls), new Walker(urls, '&status=available')];
    let databaseKills = 0;
    for (let round = 0; round < count; round++) {
      await load.more(200);
      await pause(random(200));
      // The last victim of each cycle is the database.
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

    const rows = await cluster.ask<{ id: string; name: string }>(
      `SELECT id, data ->> 'name' AS name FROM documents_pets ORDER BY id`,
    );
    const stored = rows.map(({ id, name }) => ({ id: Number(id), name }));
    expectStored(load.known, stored);
    const ids = stored.map(({ id }) => id);
    for (const walker of walkers) expect(await walker.stop(), 'the pages skip or repeat').toEqual(ids);
    for (const server of servers) {
      const { status } = await fetch(`${server.origin}/readyz`);
      expect(status).toBe(200);
    }
    console.log(
      `${load.known.size} pets acknowledged, all stored; ${load.unavailable} requests got 503; ` +
        `killed ${count - databaseKills} servers, and the database ${databaseKills} times`,
    );
  });

  test(`lose no create, replace or remove when processes or the database are killed, ${count} times`, async () => {
    const random = randomNumbers(seed());
    const cluster = await newCluster();
    onTestFinished(() => cluster.remove());
    await cluster.start();
    const store = await openThings(cluster.url());
    onTestFinished(() => store.close());
    const things = store.collection('things');
    const lasting = (await addMany(things, 300, { text: 'lasting' })).map(({ id }) => id);
    const isOver = { now: false };
    const walking = walk(things, lasting, isOver);
    const model = new WrittenModel();
    for (const document of await everything(things))
      model.learn([`create ${document.key} ${document.text}`, `done ${document.key} ${document.key}`]);
    const start = (index: number, round: number) => startWriters(cluster.url(), `${'abc'[index]}${round}`, 16);
    const writers = Array.from({ length: serverCount }, (_, index) => start(index, 0));
    const end = async ({ word, child, ended, errors }: Writers) => {
      child.kill('SIGKILL');
      model.learn(await ended, word);
      expect(errors()).toBe('');
    };
    for (let round = 1; round <= 2 * count; round++) {
      await Promise.all(writers.map((one) => one.printed(one.lines() + 100)));
      await pause(random(200));
      const victim = random(serverCount + 1);
      const one = writers[victim];
      if (one) {
        await end(one);
        writers[victim] = start(victim, round);
      } else {
        await cluster.kill();
        await pause(random(300));
        await cluster.start();
      }
    }
    await Promise.all(writers.map((one) => one.printed(one.lines() + 100)));
    for (const one of writers) await end(one);
    isOver.now = true;
    const walks = await walking;
    await model.check(store);
    console.log(`${model.acknowledged} writes acknowledged, none lost; ${walks} times all pages`);
    expect(walks).toBeGreaterThan(1);
  });
});

/** Reads all pages repeatedly. None may repeat a document, or skip one that exists all the time. */
async function walk(things: Collection, lasting: readonly number[], isOver: { now: boolean }): Promise<number> {
  let walks = 0;
  for (; !isOver.now; walks++) {
    const ids: number[] = [];
    for (let more = true; more; ) {
      const reading = Promise.resolve(things.list({ after: ids.at(-1) ?? 0, limit: 100 }));
      const page = await reading.catch(async (error: unknown) => {
        expect(error).toBeInstanceOf(StoreUnavailableError);
        await pause(20);
      });
      if (!page) continue;
      ids.push(...documentsIn(page).map((document) => Number(decode(document).key)));
      more = page.more;
    }
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.slice(0, lasting.length)).toEqual(lasting);
  }
  return walks;
}

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
