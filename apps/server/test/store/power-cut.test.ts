import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { rounds } from '@petstore/testing';
import { expect, test } from 'vitest';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { mountedDisk } from './mounts.ts';
import { randomNumbers, seed } from './numbers.ts';
import { freeze, SOME_ACKNOWLEDGED, startWriters, WRITERS } from './start-writers.ts';
import { contentOf, everything } from './store-contents.ts';
import { openThings } from './store-fixture.ts';
import { WrittenModel } from './written-model.ts';

const count = rounds(1, 20);

test(`loses nothing in ${count} power cuts, and rejects writes once the disk fails`, async (context) => {
  const disk = mountedDisk(context);
  const folder = join(disk.path, 'data');
  const random = randomNumbers(seed());
  const model = new WrittenModel();
  for (let round = 0; round < count; round++) {
    const writers = startWriters(folder, `round${round}`, WRITERS);
    await writers.printed(SOME_ACKNOWLEDGED);
    await pause(random(300));
    await freeze(writers);
    disk.cutPower();
    writers.child.kill('SIGKILL');
    model.learn(await writers.ended);
    disk.unmount();
    disk.mount();
    const store = await openThings(folder, console.log);
    await model.adopt(store);
    await store.close();
  }
  console.log(`${model.acknowledged} writes, none lost`);
  expect(model.acknowledged).toBeGreaterThan(count);

  const store = await openThings(folder, console.log);
  const things = store.collection('things');
  const before = await everything(things);
  disk.cutPower();
  await expect(things.create({ text: 'late' })).rejects.toThrow(StoreUnavailableError);
  await expect(things.remove(1)).rejects.toThrow(/restart the server/);
  expect(await store.ready()).toBe(false);
  expect(store.hasFailed()).toBe(true);
  expect(await contentOf(things, Number(before.at(-1)?.key))).toEqual(before.at(-1));
  await store.close();
});
