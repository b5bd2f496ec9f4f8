import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { newFolder, rounds } from '@petstore/testing';
import { expect, test } from 'vitest';
import { openLowdbStore } from '../../src/store/lowdb.ts';
import { UnavailableError, UnknownOutcomeError } from '../../src/store/store.ts';
import { things as declared, everything, open, others } from './fixture.ts';
import { busy, History, WRITERS } from './history.ts';
import { mountedDisk } from './mounts.ts';

const kills = rounds(6, 100);

test(`loses and doubles nothing when ${WRITERS} writers are killed, ${kills} times`, async () => {
  const folder = newFolder();
  const history = new History();
  for (let round = 0; round < kills; round++) {
    const writers = history.start(folder, `round${round}`);
    // Every fourth is killed at any moment after its start.
    if (round % 4 === 3) await pause(Math.random() * 300);
    else await busy(writers);
    writers.child.kill('SIGKILL');
    await writers.ended;
    const store = await open(folder);
    await history.verify(store);
    await store.close();
  }
  console.log(`${history.acknowledged} writes, none lost`);
  expect(history.acknowledged).toBeGreaterThan(kills * WRITERS);
});

const cuts = rounds(3, 30);

test(`loses nothing in ${cuts} power cuts, and rejects writes once the disk fails`, async (context) => {
  const disk = mountedDisk(context);
  const folder = join(disk.path, 'data');
  const history = new History();
  for (let round = 0; round < cuts; round++) {
    const writers = history.start(folder, `round${round}`);
    await busy(writers);
    // A sync that runs while the file system is shut down would report success, so the process must not run then.
    writers.child.kill('SIGSTOP');
    while (!readFileSync(`/proc/${writers.child.pid}/stat`, 'utf8').split(') ')[1]?.startsWith('T')) await pause(1);
    disk.cutPower();
    writers.child.kill('SIGKILL');
    await writers.ended;
    disk.unmount();
    disk.mount();
    const store = await open(folder);
    await history.verify(store);
    await store.close();
  }
  console.log(`${history.acknowledged} writes, none lost`);
  expect(history.acknowledged).toBeGreaterThan(cuts * WRITERS);

  // Without folds, so that the first thing that fails is the write.
  const store = await openLowdbStore(folder, [declared, others]);
  const things = store.collection('things');
  const before = await everything(things);
  disk.cutPower();
  // What the failing disk has of the first write is unknown. Nothing is done of later ones.
  await expect(things.create({ text: 'late' })).rejects.toThrow(UnknownOutcomeError);
  await expect(things.remove(Number(before[0]?.key))).rejects.toThrow(UnavailableError);
  expect(await everything(things)).toEqual(before);
  await store.close();
});
