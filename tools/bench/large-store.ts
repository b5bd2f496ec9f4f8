// Measures what is long in a store of many documents: to open it, and to fold its journal into a new snapshot.
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openLowdbStore } from '@petstore/server';
import { CALLERS, createRate } from './creates.ts';
import { atMost, type Effort, inRotation, median, type Part } from './measure.ts';
import type { Opening } from './opening.ts';

/** Measures how long a new process opens a store, and how much memory that takes. */
export async function measureOpening(folder: string, { rounds }: Effort): Promise<Part> {
  const args = ['--expose-gc', join(import.meta.dirname, 'opening.ts'), folder];
  const open = async (): Promise<Opening> =>
    JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
  const { openings } = await inRotation('store: opening', { openings: open }, Math.min(rounds, 3));
  const milliseconds = median(openings.map((opening) => opening.milliseconds));
  const bytes = median(openings.map((opening) => opening.bytes / opening.documents));
  const documents = openings[0]?.documents.toLocaleString('en-US');
  return {
    tables: [
      [
        { [`a store of ${documents} documents`]: 'opening, ms', measured: milliseconds },
        {
          [`a store of ${documents} documents`]: 'bytes of resident memory for each',
          measured: bytes,
        },
      ],
    ],
    targets: [
      atMost('opening many documents, ms', milliseconds, 2000),
      atMost('bytes of resident memory for each document', bytes, 350),
    ],
  };
}

/** Measures for how long writers stop while the journal is folded, beside the same writers without that. */
export async function measureFold(folder: string, { requests }: Effort): Promise<Part> {
  const calmStore = await openLowdbStore(folder, { fold: Number.POSITIVE_INFINITY });
  const calm = await longestStop(() => createRate(calmStore, CALLERS, requests * 3));
  await calmStore.close();
  // The lower limit for the journal makes the store fold it at once.
  const foldingStore = await openLowdbStore(folder, { fold: 1 });
  const snapshot = join(folder, 'store.json');
  const before = statSync(snapshot).ino;
  const folding = await longestStop(async () => {
    while (statSync(snapshot).ino === before) await createRate(foldingStore, CALLERS, requests);
  });
  await foldingStore.close();
  const row = (when: string, measured: number) => ({
    'longest stop of the event loop': when,
    ms: measured,
  });
  return {
    tables: [[row('while the journal is folded', folding), row('while it is not', calm)]],
    targets: [atMost('longest stop while folding, less that while not, ms', folding - calm, 10)],
  };
}

/** The longest time in milliseconds for which the work kept the event loop from its timers. */
async function longestStop(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  await work();
  await pause(5);
  delays.disable();
  return delays.max / 1e6;
}
