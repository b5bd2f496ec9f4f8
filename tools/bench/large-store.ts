// Measures what takes long in a store of many documents: opening it, and folding its journal into a
// new snapshot. `large-store.ts <folder>` opens one and prints what that took, in a process whose
// memory holds nothing else.
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openLowdbStore } from '@petstore/server';
import { type Effort, inRotation, median, type Part } from './measure.ts';
import { CONCURRENCY, collection, createRate } from './pets.ts';

interface Opening {
  readonly milliseconds: number;
  /** Resident memory that the store adds. */
  readonly bytes: number;
  readonly documents: number;
}

if (import.meta.main) console.log(JSON.stringify(await openIn(process.argv[2] ?? '')));

/** Measures how long a new process opens a store, and how much memory that takes. */
export async function measureOpening(folder: string, { rounds }: Effort): Promise<Part> {
  const args = ['--expose-gc', import.meta.filename, folder];
  const measure = async (): Promise<Opening> => {
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout);
  };
  const { opening } = await inRotation('opening', { opening: { measure } }, rounds);
  const milliseconds = median(opening.map((each) => each.milliseconds));
  const bytes = median(opening.map((each) => each.bytes / each.documents));
  const documents = opening[0]?.documents.toLocaleString('en-US');
  const row = {
    'opening a store': `${documents} documents`,
    ms: milliseconds,
    'bytes of memory for each': bytes,
  };
  const target = { name: 'bytes of memory for each document', measured: bytes, atMost: 350 };
  return { tables: [[row]], targets: [target] };
}

/**
 * Measures for how long the event loop stops while the journal is folded, beside the same writers
 * without that.
 */
export async function measureFold(folder: string, { requests }: Effort): Promise<Part> {
  const calm = await openLowdbStore(folder, { fold: Number.POSITIVE_INFINITY });
  const calmStop = await longestStop(() => createRate(calm, CONCURRENCY, requests * 3));
  await calm.close();
  // With this limit, the journal is too long at once. The fold replaces the file of the snapshot.
  const folding = await openLowdbStore(folder, { fold: 1 });
  const snapshot = join(folder, 'store.json');
  const before = statSync(snapshot).ino;
  const foldingStop = await longestStop(async () => {
    while (statSync(snapshot).ino === before) await createRate(folding, CONCURRENCY, requests);
  });
  await folding.close();
  const row = {
    'longest stop, ms': 'of the event loop',
    'while folding': foldingStop,
    'while not': calmStop,
  };
  const target = {
    name: 'longest stop while folding, less that while not, ms',
    measured: foldingStop - calmStop,
    atMost: 10,
  };
  return { tables: [[row]], targets: [target] };
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

async function openIn(folder: string): Promise<Opening> {
  const before = residentBytes();
  const started = performance.now();
  const store = await openLowdbStore(folder);
  const milliseconds = performance.now() - started;
  const bytes = residentBytes() - before;
  const documents = Number(await store.nextId(collection)) - 1;
  await store.close();
  return { milliseconds, bytes, documents };
}

function residentBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}
