// Kills and power cuts under many writers: no acknowledged write is lost, and none is done twice.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeep, newFolder, rounds } from '@petstore/testing';
import { expect, test } from 'vitest';
import { openLowdbStore } from '../../src/store/lowdb.ts';
import { UnavailableError, UnknownOutcomeError } from '../../src/store/store.ts';
import { things as declared, everything, open, others, parsed } from './fixture.ts';
import { busy, History, WRITERS } from './history.ts';
import { mountedDisk } from './mounts.ts';

const kills = rounds(1, 100);

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

/** A process that folds the folder of its first argument, and is killed before the call of the disk that the second counts. */
const folding = `
  import { existsSync, writeSync } from 'node:fs';
  import disk from 'node:fs/promises';
  import { syncBuiltinESMExports } from 'node:module';
  const [folder, last] = process.argv.slice(1);
  let calls = -1;
  const count = (object, name) => {
    const call = object[name];
    object[name] = function (...all) {
      if (calls >= 0 && calls++ === Number(last)) process.kill(process.pid, 'SIGKILL');
      return call.apply(this, all);
    };
  };
  const file = Object.getPrototypeOf(await disk.open('/dev/null'));
  for (const name of ['write', 'sync', 'datasync', 'truncate']) count(file, name);
  for (const name of ['open', 'rename', 'rm']) count(disk, name);
  syncBuiltinESMExports();
  const { openLowdbStore } = await import('${new URL('../../src/store/lowdb.ts', import.meta.url).href}');
  const store = await openLowdbStore(folder, ${JSON.stringify([declared, others])}, { fold: 0 });
  calls = 0;
  await store.collection('things').create({ text: 'new' });
  writeSync(1, 'acknowledged');
  while (existsSync(folder + '/journal-1.jsonl')) await new Promise((resolve) => setTimeout(resolve, 1));
  await store.close();`;

test.runIf(isDeep)('loses nothing when it is killed at any step of a fold', async () => {
  let isWhole = false;
  let step = 0;
  for (; !isWhole; step++) {
    const folder = newFolder();
    let store = await open(folder);
    for (let i = 0; i < 20; i++) await store.collection('things').create({ i });
    await store.close();
    const { signal, status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', folding, folder, `${step}`],
      { encoding: 'utf8' },
    );
    isWhole = status === 0;
    expect([isWhole || signal, stderr]).toEqual([isWhole || 'SIGKILL', '']);
    store = await open(folder);
    const found = await everything(store.collection('things'));
    expect(found.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, i) => ({ key: i + 1, i })));
    if (stdout === 'acknowledged') expect(found[20]).toEqual({ key: 21, text: 'new' });
    expect(parsed(await store.collection('things').create({}))).toEqual({ key: found.length + 1 });
    await store.close();
  }
  expect(step).toBeGreaterThan(10);
});

const cuts = 30;

test.runIf(isDeep)(
  `loses nothing in ${cuts} power cuts, and rejects writes once the disk fails`,
  async (context) => {
    const disk = mountedDisk(context);
    const folder = join(disk.path, 'data');
    const history = new History();
    for (let round = 0; round < cuts; round++) {
      const writers = history.start(folder, `round${round}`);
      await busy(writers);
      // A sync that runs while the file system is shut down would report success, so the process must not run then.
      writers.child.kill('SIGSTOP');
      while (
        !readFileSync(`/proc/${writers.child.pid}/stat`, 'utf8').split(') ')[1]?.startsWith('T')
      )
        await pause(1);
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
    await things.create({ text: 'in time' });
    const before = await everything(things);
    disk.cutPower();
    // What the failing disk has of the first write is unknown. Nothing is done of later ones.
    await expect(things.create({ text: 'late' })).rejects.toThrow(UnknownOutcomeError);
    await expect(things.remove(Number(before[0]?.key))).rejects.toThrow(UnavailableError);
    expect(await everything(things)).toEqual(before);
    await store.close();
  },
);
