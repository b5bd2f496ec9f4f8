import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { rounds } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { expectKept, freeze, learn, startWriters } from './child.ts';
import { mountedDisk } from './mounts.ts';
import { randomNumbers, seed } from './numbers.ts';

const count = rounds(1, 20);

describe.each(['ext4', 'xfs'] as const)('on %s', (kind) => {
  test(`loses nothing when the power is cut ${count} times, and takes no more pets once the disk fails`, async (context) => {
    const disk = mountedDisk(context, kind);
    const folder = join(disk.path, 'data');
    const random = randomNumbers(seed());
    const known = new Map<number, string>();
    for (let round = 0; round < count; round++) {
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
    console.log(`${known.size} pets, all stored`);
    expect(known.size).toBeGreaterThan(count);

    const store = await openLowdbStore(folder);
    const before = await store.list({ after: 0, limit: 100 });
    disk.cutPower();
    await expect(store.create({ name: 'late', categoryId: 1 })).rejects.toThrow(StoreUnavailableError);
    await expect(store.create({ name: 'late', categoryId: 1 })).rejects.toThrow(/restart the server/);
    expect(await store.ready()).toBe(false);
    expect(await store.list({ after: 0, limit: 100 })).toEqual(before);
    await store.close();
  });
});
