import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { expectKept, freeze, learn, startWriters } from './child.ts';
import { mountedDisk, unmountable } from './mounts.ts';
import { randomNumbers, seed } from './numbers.ts';
import { addMany } from './store-suite.ts';

const rounds = Number(process.env.POWER_CUT_ROUNDS ?? 5);

describe.each(['ext4', 'xfs'] as const)('on %s', (kind) => {
  const reason = unmountable(kind);
  if (reason) console.error(`SKIPPED: the power is not cut on ${kind}: ${reason}.`);

  test.skipIf(reason)(
    `loses nothing when the power is cut, ${rounds} times over`,
    {
      timeout: rounds * 30_000,
    },
    async () => {
      const disk = mountedDisk(kind);
      const folder = join(disk.path, 'data');
      const random = randomNumbers(seed());
      const known = new Map<number, string>();
      for (let round = 0; round < rounds; round++) {
        const writers = startWriters(folder, `round${round}`, 32);
        await writers.open;
        await pause(random(300));
        await freeze(writers);
        disk.cutPower();
        writers.child.kill('SIGKILL');
        learn(known, await writers.ended);
        disk.unmount();
        disk.mount();
        const store = await openLowdbStore(folder, { onWarning: (line) => console.log(line) });
        await expectKept(store, known);
        await store.close();
      }
      console.log(`${known.size} animals, all there`);
      expect(known.size).toBeGreaterThan(rounds);
    },
  );

  test.skipIf(reason)('takes no more animals once the disk fails, and still shows those it has', async () => {
    const disk = mountedDisk(kind);
    const store = await openLowdbStore(join(disk.path, 'data'));
    const kept = await addMany(store, 10);
    disk.cutPower();
    await expect(store.create({ name: 'late', categoryId: 1 })).rejects.toThrow(StoreUnavailableError);
    await expect(store.create({ name: 'late', categoryId: 1 })).rejects.toThrow(/restart the server/);
    expect(await store.ready()).toBe(false);
    expect(await store.list({ after: 0, limit: 100 })).toEqual(kept);
    await store.close();
  });
});
