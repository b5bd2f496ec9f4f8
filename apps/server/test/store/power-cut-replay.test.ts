import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { expectKept } from './child.ts';
import { DiskModel, type Luck } from './disk-model.ts';
import { newFolder } from './folder.ts';
import { randomNumbers, seed } from './numbers.ts';
import { acknowledgements, traceWriters, untraceable } from './trace.ts';

const reason = untraceable();
if (reason) console.error(`SKIPPED: cut power is not replayed: ${reason}.`);

const animals = 2100;

test.skipIf(reason)(
  'loses nothing, whenever the power is cut and whatever was not synced is lost',
  {
    timeout: 120_000,
  },
  async () => {
    const folder = newFolder();
    const calls = traceWriters(folder, 64, animals);
    const told = acknowledgements(calls);
    expect(told.size).toBe(animals);

    const random = randomNumbers(seed());
    const lucks: Luck[] = [
      () => [],
      (changes) => changes,
      (changes) => changes.slice(0, random(changes.length + 1)),
      (changes) => changes.filter(() => random(2) === 0),
    ];
    const disk = new DiskModel();
    const found = join(folder, 'found');
    let moments = 0;
    for (const call of calls) {
      if (call.paths.length === 0) continue;
      disk.follow(call);
      moments++;
      const known = new Map(
        [...told].filter(([, { start }]) => start <= call.end).map(([id, { text }]) => [id, nameIn(text)]),
      );
      for (const luck of lucks) {
        rmSync(found, { recursive: true, force: true });
        disk.left(found, luck);
        const store = await openLowdbStore(join(found, 'data'), { onWarning: () => {} });
        await expectKept(store, new Map(known));
        await store.close();
      }
    }
    console.log(`the power was cut at ${moments} moments, with ${lucks.length} outcomes each`);
  },
);

function nameIn(acknowledgement: string): string {
  return acknowledgement.trimEnd().split(' ')[1] ?? '';
}
