// Measures the store without HTTP, and compares it with a loop that appends and syncs lines.
// `store.ts <folder>` opens one store, and prints the time and memory of that: the bench runs it as a process of its own.
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openLowdbStore, type Store } from '@petstore/server';
import { fill, measureRate, median, medianRatio, withScratch } from './measure.ts';
import { atLeast, atMost, type Section } from './section.ts';
import { added, collection, newDocument } from './workload.ts';

type Write = () => unknown;

const FULL = { small: 1_000, large: 1_000_000, rounds: 10, rewritten: 100_000 };
const QUICK = { small: 1_000, large: 100_000, rounds: 3, rewritten: 20_000 };

/** The loads. Each measures the writes per second of a store that has documents 1 to `size` at first. */
const writeLoads = {
  'one writer': (store: Store) => measureRate(creates(store), 1, { count: 1000 }),
  '64 writers': (store: Store) => measureRate(creates(store), 64, { count: 4000 }),
  mixed: (store: Store, size: number) => measureRate(mixedWrites(store, size), 64, { count: 4000 }),
};

type LoadName = keyof typeof writeLoads;

/** The writes per second of each load, by round. */
type Rates = Record<LoadName, number[]>;

/** Measures the store. */
export async function store(quick: boolean): Promise<Section> {
  const sizes = quick ? QUICK : FULL;
  return sectionOf(sizes, await withScratch((scratch) => measure(scratch, sizes)));
}

async function measure(scratch: string, { small, large, rounds, rewritten }: typeof FULL) {
  const largeFolder = join(scratch, 'large');
  await (await openFilled(largeFolder, large)).close();
  // Before any other write, so that the store has exactly `large` documents.
  const openings = Array.from({ length: 5 }, () => openingOf(largeFolder));
  const largeStore = await openLowdbStore(largeFolder);

  const bareLoop = await openBareLoop(scratch);
  const loop: number[] = [];
  const [atSmall, atLarge] = [noRates(), noRates()];
  for (let round = 0; round < rounds; round++) {
    loop.push(await measureRate(bareLoop.write, 1, { count: 1000 }));
    for (const name of Object.keys(writeLoads) as LoadName[]) {
      // Each measurement has a new small store, because the writes would make it several times as large.
      const smallStore = await openFilled(join(scratch, `small ${round} ${name}`), small);
      atSmall[name].push(await writeLoads[name](smallStore, small));
      await smallStore.close();
      atLarge[name].push(await writeLoads[name](largeStore, large));
    }
  }
  await bareLoop.close();

  let blockedByCreates = 0;
  for (const writers of [1, 64, 1000]) {
    const count = writers === 1 ? 4_000 : 100_000;
    blockedByCreates = Math.max(blockedByCreates, await longestBlock(creates(largeStore), writers, count));
  }
  await largeStore.close();
  const rewriting = await rewrite(join(scratch, 'rewritten'), rewritten);
  return { openings, loop, atSmall, atLarge, blockedByCreates, ...rewriting };
}

const noRates = (): Rates => ({ 'one writer': [], '64 writers': [], mixed: [] });

type Measured = Awaited<ReturnType<typeof measure>>;

function sectionOf({ small, large, rounds, rewritten }: typeof FULL, measured: Measured): Section {
  const { loop, atSmall, atLarge, openings } = measured;
  const rowsOf = (size: number, rates: Rates) =>
    (['one writer', '64 writers'] as const).map((writers) => ({
      [`${collection} at first`]: size,
      writers,
      'creates/s': Math.round(median(rates[writers])),
    }));
  const oneWriter = medianRatio([...atSmall['one writer'], ...atLarge['one writer']], [...loop, ...loop]);
  const speedAtLarge = (name: LoadName) => medianRatio(atLarge[name], atSmall[name]);
  const [few, many, rewrites] = [small, large, rewritten].map((size) => size.toLocaleString('en-US'));
  const speedAtSizes = `speed at ${many} ${collection} / ${few}`;
  const medianOpening = (what: keyof Opening) => median(openings.map((opening) => opening[what]));
  return {
    title: 'The store',
    how: `Creates without HTTP, and a loop that appends a line of the same length and syncs it (${Math.round(median(loop))}/s): medians of ${rounds} rounds.`,
    tables: [{ rows: [...rowsOf(small, atSmall), ...rowsOf(large, atLarge)] }],
    targets: [
      atLeast('one writer / loop', oneWriter, 0.85),
      atLeast(`one writer: ${speedAtSizes}`, speedAtLarge('one writer'), 0.9),
      atLeast(`64 writers: ${speedAtSizes}`, speedAtLarge('64 writers'), 0.9),
      atLeast(`50 % creates, 40 % replaces, 10 % removes: ${speedAtSizes}`, speedAtLarge('mixed'), 0.8),
      atMost(`opening ${many} ${collection}, ms`, medianOpening('milliseconds'), 300),
      atMost(`resident memory / ${many} ${collection}, bytes`, medianOpening('bytes') / large, 130),
      atMost(`disk / JSON of ${rewrites} ${collection}, after 10 rewrites`, measured.disk, 2.5),
      atMost('event loop blocked by creates, ms', measured.blockedByCreates, 25),
      atMost('event loop blocked while merging, ms', measured.blockedByMerges, 15),
    ],
  };
}

/** The minimum work of a durable write: appends a line as long as a commit of one document, and syncs it. */
async function openBareLoop(folder: string): Promise<{ write: Write; close: () => Promise<void> }> {
  const line = Buffer.from(
    `${JSON.stringify({ crc32: 1_234_567_890, [collection]: [{ id: 1_234_567, ...added }] })}\n`,
  );
  const handle = await open(join(folder, 'bare'), 'w');
  let end = 0;
  const write = async () => {
    await handle.write(line, 0, line.length, end);
    await handle.datasync();
    end += line.length;
  };
  return { write, close: () => handle.close() };
}

async function openFilled(folder: string, size: number): Promise<Store> {
  const store = await openLowdbStore(folder);
  await fill(store, size);
  return store;
}

let createdCount = 0;
const nextDocument = () => newDocument(++createdCount);

const creates = (store: Store) => () => store.collection(collection).create(nextDocument());

/** Half of the writes create; two fifths replace and one tenth removes one of the documents 1 to `size`. */
function mixedWrites(store: Store, size: number): Write {
  const documents = store.collection(collection);
  const anyId = () => 1 + Math.floor(Math.random() * size);
  let writes = 0;
  return () => {
    const step = writes++ % 10;
    if (step < 5) return documents.create(nextDocument());
    return step < 9 ? documents.replace(anyId(), nextDocument()) : documents.remove(anyId());
  };
}

/** Replaces every document ten times. `disk` is the size of all segments divided by that of the documents' JSON. */
async function rewrite(folder: string, size: number): Promise<{ disk: number; blockedByMerges: number }> {
  const store = await openFilled(folder, size);
  const documents = store.collection(collection);
  let writes = 0;
  const replace = () => documents.replace(1 + (writes++ % size), nextDocument());
  const blockedByMerges = await longestBlock(replace, 64, 10 * size);
  // Files that were merged are removed within a second.
  await pause(2000);
  const segments = join(folder, 'segments');
  const bytes = readdirSync(segments).reduce((sum, name) => sum + statSync(join(segments, name)).size, 0);
  const page = await documents.list({ after: 0, limit: size, maxBytes: Number.MAX_SAFE_INTEGER });
  await store.close();
  // The JSON is ASCII: its length is its size in bytes.
  return { disk: bytes / page.json.text.length, blockedByMerges };
}

/** The longest CPU time of this thread between two ticks of a timer of 1 ms during the writes, in milliseconds. */
async function longestBlock(write: Write, writers: number, count: number): Promise<number> {
  const ownTime = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let [longest, last] = [0, ownTime()];
  const timer = setInterval(() => {
    const now = ownTime();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  await measureRate(write, writers, { count });
  await pause(5);
  clearInterval(timer);
  return longest;
}

interface Opening {
  milliseconds: number;
  /** The resident memory that the store added. */
  bytes: number;
}

/** Measures how a new process opens a store. */
function openingOf(folder: string): Opening {
  const args = ['--expose-gc', import.meta.filename, folder];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

async function measureOpening(folder: string): Promise<Opening> {
  const resident = () => {
    globalThis.gc?.();
    return process.memoryUsage.rss();
  };
  const before = resident();
  const started = performance.now();
  const store = await openLowdbStore(folder);
  const opening = { milliseconds: performance.now() - started, bytes: resident() - before };
  await store.close();
  return opening;
}

if (import.meta.main) console.log(JSON.stringify(await measureOpening(process.argv[2] ?? '')));
