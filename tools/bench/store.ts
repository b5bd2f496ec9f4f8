// How fast the store is without HTTP, beside a loop that appends and syncs a line. `store.ts <folder>` measures one opening.
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openLowdbStore, type Store } from '@petstore/server';
import { fill, median, rounded, withScratch } from './measure.ts';
import { atLeast, atMost, type Section } from './section.ts';
import { added, collection, newDocument } from './workload.ts';

type Write = () => unknown;

/** Measures the store. */
export async function store(quick: boolean): Promise<Section> {
  const [sizes, rounds, rewritten] = quick
    ? [[1_000, 10_000, 100_000], 3, 20_000]
    : [[1_000, 10_000, 100_000, 1_000_000], 10, 100_000];
  const [smallest = 0, largest = 0] = [sizes[0], sizes.at(-1)];
  return withScratch(async (scratch) => {
    const rates = new Map<string, number[]>();
    const time = async (name: string, write: Write, writers: number, count: number) =>
      rates.set(name, [...(rates.get(name) ?? []), await perSecond(write, writers, count)]);
    const bare = await bareLoop(scratch);
    const large = new Map<number, Store>();
    for (const size of sizes.filter((size) => size >= 100_000))
      large.set(size, await openFilled(join(scratch, `${size}`), size));
    for (let round = 0; round < rounds; round++) {
      for (const size of sizes) {
        await time('bare', bare.write, 1, 500);
        // A small store would grow with the rounds, so each has a new one.
        const store = large.get(size) ?? (await openFilled(join(scratch, `${size}-${round}`), size));
        // A thousand, so that each run includes the sealing of one segment.
        await time(`1 ${size}`, creates(store), 1, 1000);
        await time(`64 ${size}`, creates(store), 64, 4000);
        await time(`mixed ${size}`, mixedWrites(store, size), 64, 4000);
        if (!large.has(size)) await store.close();
      }
    }
    let blocked = 0;
    const write = creates(large.get(largest) as Store);
    for (const writers of [1, 64, 1000])
      blocked = Math.max(blocked, await longestBlock(write, writers, writers === 1 ? 4_000 : 100_000));
    for (const one of [bare, ...large.values()]) await one.close();
    const rewriting = await rewrite(join(scratch, 'rewriting'), rewritten);
    const openings = Array.from({ length: 5 }, () => openingOf(join(scratch, `${largest}`)));

    const rate = (name: string) => median(rates.get(name) ?? []);
    const largeToSmall = (name: string) => rate(`${name} ${largest}`) / rate(`${name} ${smallest}`);
    const rows = sizes.flatMap((size) =>
      [1, 64].map((writers) => ({
        [collection]: size,
        writers,
        'creates/s': Math.round(rate(`${writers} ${size}`)),
        'of the loop': rounded(rate(`${writers} ${size}`) / rate('bare')),
      })),
    );
    const oneWriter = median(sizes.map((size) => rate(`1 ${size}`))) / rate('bare');
    const sizesCompared = `at ${largest} of at ${smallest}`;
    const milliseconds = median(openings.map((opening) => opening.milliseconds));
    const bytes = median(openings.map((opening) => opening.bytes)) / largest;
    return {
      title: 'The store',
      how: `Creates without HTTP, compared with a loop that appends a line of the same length and syncs it (${Math.round(rate('bare'))}/s); medians of ${rounds} rounds.`,
      tables: [{ rows }],
      targets: [
        atLeast('one writer, of the loop', oneWriter, 0.85),
        atLeast(`1 writer, ${sizesCompared}`, largeToSmall('1'), 0.9),
        atLeast(`64 writers, ${sizesCompared}`, largeToSmall('64'), 0.9),
        atLeast(`creates, replaces and removes, ${sizesCompared}`, largeToSmall('mixed'), 0.8),
        atMost(`opening ${largest}, ms`, milliseconds, 300),
        atMost(`memory of each of ${largest} ${collection}, bytes`, bytes, 130),
        atMost(`disk after ten rewrites of ${rewritten}, of the documents`, rewriting.disk, 2.5),
        atMost('event loop blocked by creates, ms', blocked, 25),
        atMost('event loop blocked while merging, ms', rewriting.blocked, 15),
      ],
    };
  });
}

/** The writes per second of concurrent writers, each of which writes again when its write before is stored. */
async function perSecond(write: Write, writers: number, count: number): Promise<number> {
  let begun = 0;
  const started = performance.now();
  const writer = async () => {
    while (begun++ < count) await write();
  };
  await Promise.all(Array.from({ length: writers }, writer));
  return (count / (performance.now() - started)) * 1000;
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
  await perSecond(write, writers, count);
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
