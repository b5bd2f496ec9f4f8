import { setTimeout as pause } from 'node:timers/promises';
import { newFolder, rounds } from '@petstore/testing';
import { expect, test } from 'vitest';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { expectKept, learn, startWriters } from './child.ts';
import { randomNumbers, seed } from './numbers.ts';

const count = rounds(4, 100);

test(`loses nothing when 32 writers are killed, ${count} times`, async () => {
  const folder = newFolder();
  const random = randomNumbers(seed());
  const known = new Map<number, string>();
  for (let round = 0; round < count; round++) {
    const writers = startWriters(folder, `round${round}`, 32);
    // Every fourth is killed at any moment after its start, the others while they write.
    if (round % 4 !== 3) await writers.open;
    await pause(random(round % 4 === 3 ? 150 : 80));
    writers.child.kill('SIGKILL');
    learn(known, await writers.ended);
    expect(writers.errors()).toBe('');

    // Every third time the next writers are the first to see what is left.
    if (round % 3 === 2) continue;
    const store = await openLowdbStore(folder, { onWarning: (line) => console.log(line) });
    await expectKept(store, known);
    await store.close();
  }
  const store = await openLowdbStore(folder);
  await expectKept(store, known);
  await store.close();
  console.log(`${known.size} pets, all stored`);
  expect(known.size).toBeGreaterThan(count);
});
