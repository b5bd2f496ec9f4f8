import { setTimeout as pause } from 'node:timers/promises';
import { newFolder, rounds } from '@petstore/testing';
import { expect, test } from 'vitest';
import { randomNumbers, seed } from './numbers.ts';
import { SOME_ACKNOWLEDGED, startWriters, WRITERS } from './start-writers.ts';
import { openThings } from './store-fixture.ts';
import { WrittenModel } from './written-model.ts';

const count = rounds(4, 100);

test(`loses nothing when ${WRITERS} writers are killed, ${count} times`, async () => {
  const folder = newFolder();
  const random = randomNumbers(seed());
  const model = new WrittenModel();
  for (let round = 0; round < count; round++) {
    const writers = startWriters(folder, `round${round}`, WRITERS);
    // Every fourth is killed at any moment after its start, the others while they write, seal and merge.
    if (round % 4 !== 3) await writers.printed(SOME_ACKNOWLEDGED);
    await pause(random(round % 4 === 3 ? 150 : 200));
    writers.child.kill('SIGKILL');
    model.learn(await writers.ended);
    expect(writers.errors()).toBe('');

    const store = await openThings(folder, console.log);
    await model.adopt(store);
    await store.close();
  }
  console.log(`${model.acknowledged} writes, none lost`);
  expect(model.acknowledged).toBeGreaterThan(count);
});
