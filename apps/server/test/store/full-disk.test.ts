import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pet } from '@petstore/types';
import { expect, test } from 'vitest';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import type { Store } from '../../src/store/store.ts';
import { smallDisk } from './mounts.ts';

/** Adds animals until some are refused, and once more. */
async function fill(store: Store, word: string) {
  const kept: Pet[] = [];
  let refused = 0;
  for (let round = 0; refused < 20; round++) {
    const names = Array.from({ length: 1 + (round % 9) }, (_, i) => `${word} ${round}.${i} ${'x'.repeat(round % 200)}`);
    const results = await Promise.allSettled(
      names.map((name) => store.create({ name, categoryId: 1, status: 'sold' })),
    );
    for (const result of results) {
      if (result.status === 'fulfilled') kept.push(result.value);
      else {
        expect(result.reason).toBeInstanceOf(StoreUnavailableError);
        expect(result.reason.message).toMatch(/disk is full/);
        refused++;
      }
    }
  }
  // What a refused one left behind would stand after this one, if it fits.
  const [last] = await Promise.allSettled([store.create({ name: '', categoryId: 1, status: 'sold' })]);
  if (last?.status === 'fulfilled') kept.push(last.value);
  return kept;
}

test.for([96, 256, 400])(
  'on a full disk of %d KB nothing refused is ever seen, and it heals with free space',
  async (kilobytes, context) => {
    const disk = smallDisk(context, kilobytes);
    const folder = join(disk, 'data');
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(48 * 1024));
    const everything = { after: 0, limit: 100_000 };

    const store = await openLowdbStore(folder);
    const kept = await fill(store, 'first');
    expect(await store.list(everything)).toEqual(kept);
    expect(await store.list({ ...everything, status: 'sold' })).toEqual(kept);
    expect(await store.ready()).toBe(true);
    await store.close();

    // Still full for the next process.
    const second = await openLowdbStore(folder);
    expect(await second.list(everything)).toEqual(kept);
    kept.push(...(await fill(second, 'second')));
    expect(await second.list(everything)).toEqual(kept);

    rmSync(ballast);
    kept.push(await second.create({ name: 'there is room', categoryId: 1 }));
    kept.push(...(await fill(second, 'third')));
    expect(await second.list(everything)).toEqual(kept);
    await second.close();

    const third = await openLowdbStore(folder);
    expect(await third.list(everything)).toEqual(kept);
    await third.close();
    console.log(`${kept.length} animals on ${kilobytes} KB`);
  },
);
