// How fast the store is without HTTP, beside a loop that appends and syncs a line. `store.ts <folder>` measures one opening.
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openLowdbStore, type Store } from '@petstore/server';
import { fill, median, medianRatio, perSecond, rounded, withScratch } from './measure.ts';
import { atLeast, atMost, type Section } from './section.ts';
import { added, collection, newDocument } from './workload.ts';

type Write = () => unknown;

/** Writes per second in one round. */
type Rates = Record<'loop' | 'one writer' | '64 writers' | 'mixed', number>;

/** Measures the store. */
export async function store(quick: boolean): Promise<Section> {
  const [small, large, rounds, rewritten] = quick ? [1_000, 100_000, 3, 20_000] : [1_000, 1_000_000, 10, 100_000];
  return withScratch(async (scratch) => {
    const loop = await bareLoop(scratch);
    const ratesOf = async (store: Store, size: number): Promise<Rates> => ({
      loop: await perSecond(loop.write, 1, { count: 500 }),
      // A thousand, so that each run includes the sealing of one segment.
      'one writer': await perSecond(creates(store), 1, { count: 1000 }),
      '64 writers': await perSecond(creates(store), 64, { count: 4000 }),
      mixed: await perSecond(mixedWrites(store, size), 64, { count: 4000 }),
    });
    const grown = await openFilled(join(scratch, 'grown'), large);
    const atSmall = { size: small, rates: [] as Rates[] };
    const atLarge = { size: large, rates: [] as Rates[] };
    for (let round = 0; round < rounds; round++) {
      // A small store would grow with the rounds, so each has a new one.
      const fresh = await openFilled(join(scratch, `fresh-${round}`), small);
      atSmall.rates.push(await ratesOf(fresh, small));
      await fresh.close();
      atLarge.rates.push(await ratesOf(grown, large));
    }
    let blocked = 0;
    for (const writers of [1, 64, 1000])
      blocked = Math.max(blocked, await longestBlock(creates(grown), writers, writers === 1 ? 4_000 : 100_000));
    await loop.close();
    await grown.close();
    const rewriting = await rewrite(join(scratch, 'rewriting'), rewritten);
    const openings = Array.from({ length: 5 }, () => openingOf(join(scratch, 'grown')));

    const every = (rates: readonly Rates[], what: keyof Rates) => rates.map((one) => one[what]);
    const ofLoop = (rates: readonly Rates[], what: keyof Rates) =>
      medianRatio(every(rates, what), every(rates, 'loop'));
    const largeToSmall = (what: keyof Rates) => medianRatio(every(atLarge.rates, what), every(atSmall.rates, what));
    const rows = [atSmall, atLarge].flatMap(({ size, rates }) =>
      (['one writer', '64 writers'] as const).map((writers) => ({
        [collection]: size,
        writers,
        'creates/s': Math.round(median(every(rates, writers))),
        'of the loop': rounded(ofLoop(rates, writers)),
      })),
    );
    const all = [...atSmall.rates, ...atLarge.rates];
    const sizesCompared = `at ${large} of at ${small}`;
    const bytes = median(openings.map((opening) => opening.bytes)) / large;
    return {
      title: 'The store',
      how: `Creates without HTTP, compared with a loop that appends a line of the same length and syncs it (${Math.round(median(every(all, 'loop')))}/s); medians of ${rounds} rounds.`,
      tables: [{ rows }],
      targets: [
        atLeast('one writer, of the loop', ofLoop(all, 'one writer'), 0.85),
        atLeast(`one writer, ${sizesCompared}`, largeToSmall('one writer'), 0.9),
        atLeast(`64 writers, ${sizesCompared}`, largeToSmall('64 writers'), 0.9),
        atLeast(`creates, replaces and removes, ${sizesCompared}`, largeToSmall('mixed'), 0.8),
        atMost(`opening ${large}, ms`, median(openings.map((opening) => opening.milliseconds)), 300),
        atMost(`memory of each of ${large} ${collection}, bytes`, bytes, 130),
        atMost(`disk after ten rewrites of ${rewritten}, of the documents`, rewriting.disk, 2.5),
        atMost('event loop blocked by creates, ms', blocked, 25),
        atMost('event loop blocked while merging, ms', rewriting.blocked, 15),
      ],
    };
  });
}

let made = 0;

/** The minimum that durability costs: appends a line as long as a commit of one document, and syncs it. */
async function bareLoop(folder: string): Promise<{ write: Write; close: () => Promise<void> }> {
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

const creates = (store: Store) => () => store.collection(collection).create(newDocument(++made));

/** Half of the writes create, two fifths replace, one tenth removes. */
function mixedWrites(store: Store, size: number): Write {
  const documents = store.collection(collection);
  const anyId = () => 1 + Math.floor(Math.random() * size);
  let turn = 0;
  return () => {
    const kind = turn++ % 10;
    if (kind < 5) return documents.create(newDocument(++made));
    return kind < 9 ? documents.replace(anyId(), newDocument(++made)) : documents.remove(anyId());
  };
}

/** Replaces every document ten times, while segments are sealed and merged; `disk` is the size of the segments, of that of the documents. */
async function rewrite(folder: string, size: number): Promise<{ disk: number; blocked: number }> {
  const store = await openFilled(folder, size);
  const documents = store.collection(collection);
  let turn = 0;
  const replace = () => documents.replace(1 + (turn++ % size), newDocument(++made));
  const blocked = await longestBlock(replace, 64, 10 * size);
  // Files that were merged are removed within a second.
  await pause(2000);
  const segments = join(folder, 'segments');
  const bytes = readdirSync(segments).reduce((sum, name) => sum + statSync(join(segments, name)).size, 0);
  const page = await documents.list({ after: 0, limit: size, maxBytes: Number.MAX_SAFE_INTEGER });
  await store.close();
  return { disk: bytes / page.json.text.length, blocked };
}

/** The longest time for which writes blocked the event loop, in milliseconds of this thread's own CPU time. */
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
  await perSecond(write, writers, { count });
  await pause(5);
  clearInterval(timer);
  return longest;
}

interface Opening {
  milliseconds: number;
  bytes: number;
}

/** Opens a store in a process of its own. */
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
