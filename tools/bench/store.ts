// Measures the stores: creates, a store of many documents, and PostgreSQL's. `store.ts <folder>`
// opens a store in a process of its own, and prints the time and memory that this took.
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openLowdbStore } from '@petstore/server';
import {
  compare,
  type Effort,
  inRotation,
  median,
  newScratch,
  progress,
  type Section,
  singleRow,
  type Table,
} from './measure.ts';
import { measurePostgres } from './postgres.ts';
import { peer, Rotation } from './servers.ts';
import {
  CONCURRENCY,
  collection,
  fillFolder,
  measureCreateRate,
  measureRate,
  newPet,
  PET_COUNT,
} from './workload.ts';

export async function store(effort: Effort): Promise<Section> {
  using scratch = newScratch();
  const large = join(scratch.path, 'large');
  progress(`creating ${effort.documents} documents`);
  await fillFolder(large, effort.documents);
  const table = [
    ...(await measureCreates(scratch.path, large, effort)),
    ...(await measureOverHttp(effort)),
    ...(await measureOpening(large, effort)),
    ...(await measureFold(large, effort)),
    ...(await measurePostgres(scratch.path, effort)),
  ];
  return { table };
}

/** Measures creates by one writer and by many, in a store of few documents and in one of many. */
async function measureCreates(
  scratch: string,
  largeFolder: string,
  effort: Effort,
): Promise<Table> {
  const smallFolder = join(scratch, 'small');
  await fillFolder(smallFolder, PET_COUNT);
  const small = await openLowdbStore(smallFolder);
  const large = await openLowdbStore(largeFolder);
  const file = await open(join(scratch, 'bare'), 'a');
  const line = `${JSON.stringify({ id: PET_COUNT, ...newPet(PET_COUNT) })}\n`;
  const appendAndSync = async () => {
    await file.write(line);
    await file.datasync();
  };
  const fromFew = `from ${PET_COUNT.toLocaleString('en-US')} documents`;
  const fromMany = `from ${effort.documents.toLocaleString('en-US')} documents`;
  const syncs = effort.requests / 20;
  const creates = effort.requests / 4;
  const oneWriter = {
    'append and sync': { measure: () => measureRate(appendAndSync, 1, syncs) },
    [fromFew]: { measure: () => measureCreateRate(small, 1, syncs), atLeast: 0.85 },
    [fromMany]: { measure: () => measureCreateRate(large, 1, syncs), atLeast: 0.85 },
  };
  const manyWriters = {
    [fromFew]: { measure: () => measureCreateRate(small, CONCURRENCY, creates) },
    [fromMany]: { measure: () => measureCreateRate(large, CONCURRENCY, creates), atLeast: 0.8 },
  };
  try {
    return [
      ...(await compare('creates a second by one writer', oneWriter, effort)),
      ...(await compare(`creates a second by ${CONCURRENCY} writers`, manyWriters, effort)),
    ];
  } finally {
    await file.close();
    await small.close();
    await large.close();
  }
}

/** Compares creates over HTTP in a store that saves with creates in one that does not. */
async function measureOverHttp(effort: Effort): Promise<Table> {
  await using rotation = await Rotation.start({
    memory: peer('store', 'memory'),
    folder: peer('store'),
  });
  const rate = async (name: 'memory' | 'folder') => {
    const { perSecond } = await rotation.sample(name, 'create', effort);
    return perSecond;
  };
  const subjects = {
    'store in memory': { measure: () => rate('memory') },
    'store in a folder': { measure: () => rate('folder'), atLeast: 0.7 },
  };
  return await compare('creates a second over HTTP', subjects, effort);
}

interface Opening {
  readonly milliseconds: number;
  /** Resident memory that the store adds. */
  readonly bytes: number;
  readonly documents: number;
}

/** Measures the time and memory that a new process takes to open a store. */
async function measureOpening(folder: string, { rounds }: Effort): Promise<Table> {
  const args = ['--expose-gc', import.meta.filename, folder];
  const measure = async (): Promise<Opening> => {
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout);
  };
  const { opening } = await inRotation('opening', { opening: { measure } }, rounds);
  const milliseconds = median(opening.map((each) => each.milliseconds));
  const bytes = median(opening.map((each) => each.bytes / each.documents));
  const documents = opening[0]?.documents.toLocaleString('en-US');
  return [
    singleRow(`ms to open a store of ${documents} documents`, milliseconds),
    singleRow('bytes of memory for each of them', bytes, { atMost: 350 }),
  ];
}

/**
 * Measures the longest stop of the event loop while the journal is folded, and while the same
 * writers work without a fold.
 */
async function measureFold(folder: string, { requests }: Effort): Promise<Table> {
  const calm = await openLowdbStore(folder, { fold: Number.POSITIVE_INFINITY });
  const calmStop = await measureLongestStop(() =>
    measureCreateRate(calm, CONCURRENCY, requests * 3),
  );
  await calm.close();
  // With this limit, the journal is too long at once. The fold replaces the file of the snapshot.
  const folding = await openLowdbStore(folder, { fold: 1 });
  const snapshot = join(folder, 'store.json');
  const before = statSync(snapshot).ino;
  const foldingStop = await measureLongestStop(async () => {
    while (statSync(snapshot).ino === before)
      await measureCreateRate(folding, CONCURRENCY, requests);
  });
  await folding.close();
  const stop = 'longest stop of the event loop, ms';
  return [
    singleRow(`${stop}: while not folding`, calmStop),
    singleRow(`${stop}: added by folding`, foldingStop - calmStop, { atMost: 10 }),
  ];
}

/** The longest time in milliseconds for which the work kept the event loop from its timers. */
async function measureLongestStop(work: () => Promise<unknown>): Promise<number> {
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

if (import.meta.main) console.log(JSON.stringify(await openIn(process.argv[2] ?? '')));
