/**
 * How fast the store is, compared with the disk's limit and with plain lowdb: `node tools/bench/store/main.ts [--quick]`.
 * All that is compared is measured in turns within one run, so that what else the machine does meets all alike.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { withScratch } from '../fixtures.ts';
import { inRepository } from '../process.ts';
import { median, rounded } from '../rounds.ts';
import { alone, type Section } from '../section.ts';
import { collection } from '../workload.ts';
import { type Standstill, standstill, Timing } from './measures.ts';
import { bareBlockingLoop, bareLoop, mixedWrites, naiveLowdb, ourStore, rewrites, type Subject } from './subjects.ts';

interface Opening {
  milliseconds: number;
  bytes: number;
}

interface Rewriting {
  documents: number;
  /** The bytes of the segments, of those of the documents. */
  disk: number;
  still: Standstill;
}

interface Measured {
  sizes: readonly number[];
  timings: ReadonlyMap<string, Timing>;
  still: Standstill;
  alone: Standstill;
  rewriting: Rewriting;
  openings: readonly Opening[];
}

/** Measures the store without HTTP. */
export async function store(quick: boolean): Promise<Section> {
  const sizes = quick ? [1_000, 10_000, 100_000] : [1_000, 10_000, 100_000, 1_000_000];
  return withScratch(async (scratch) => section(await bench(scratch, sizes, quick ? 3 : 10)));
}

async function bench(scratch: string, sizes: readonly number[], rounds: number): Promise<Measured> {
  const timings = new Map<string, Timing>();
  const time = (name: string, subject: Subject, writers: number, documents: number) => {
    const timing = timings.get(name) ?? new Timing();
    timings.set(name, timing);
    return timing.slice(subject, writers, documents);
  };
  let folders = 0;
  const folder = (name = `store-${folders++}`) => {
    const path = join(scratch, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const lastingFolder = (size: number) => folder(`lasting-${size}`);

  const bare = await bareLoop(scratch);
  const blocking = await bareBlockingLoop(scratch);
  const lasting = new Map<number, Awaited<ReturnType<typeof ourStore>>>();
  for (const size of sizes.filter((size) => size >= 100_000)) {
    lasting.set(size, await ourStore(lastingFolder(size), size));
  }

  for (let round = 0; round < rounds; round++) {
    for (const size of sizes) {
      await time('bare', bare, 1, 500);
      await time('blocking', blocking, 1, 500);
      // A small store would not stay one for long.
      const store = lasting.get(size) ?? (await ourStore(folder(), size));
      // A thousand, so that each slice bears the sealing of one segment.
      await time(`ours 1 ${size}`, store, 1, 1000);
      await time(`ours 64 ${size}`, store, 64, 4000);
      await time(`mixed 64 ${size}`, mixedWrites(store.store, size), 64, 4000);
      if (!lasting.has(size)) await store.close();
    }
  }

  const largest = sizes.at(-1) ?? 0;
  const grown = lasting.get(largest);
  const alone = await standstill(() => time('watched bare', bare, 1, 2_000));
  const still: Standstill = { clock: 0, own: 0 };
  for (const writers of grown ? [1, 64, 1000] : []) {
    const more = await standstill(async () => {
      if (grown) await time('watched', grown, writers, writers === 1 ? 4_000 : 100_000);
    });
    still.clock = Math.max(still.clock, more.clock);
    still.own = Math.max(still.own, more.own);
  }
  for (const subject of [bare, blocking, ...lasting.values()]) await subject.close();

  const rewriting = await rewrite(folder(), sizes.length > 3 ? 100_000 : 20_000);
  const openings = Array.from({ length: 5 }, () => opening(lastingFolder(largest)));
  for (const size of sizes) {
    const naive = await naiveLowdb(folder(), size);
    await time(`naive 1 ${size}`, naive, 1, Math.max(2, Math.min(200, 100_000 / size)));
    if (size < 100_000) await time(`naive 64 ${size}`, naive, 64, 128);
  }
  return { sizes, timings, still, alone, rewriting, openings };
}

/** Replaces every document ten times, while segments are sealed and merged. */
async function rewrite(path: string, size: number): Promise<Rewriting> {
  const { store, close } = await ourStore(path, size);
  const still = await standstill(() => new Timing().slice(rewrites(store, size), 64, 10 * size));
  // Files that were merged are removed within a second.
  await pause(2000);
  const segments = join(path, 'segments');
  const bytes = readdirSync(segments).reduce((sum, name) => sum + statSync(join(segments, name)).size, 0);
  const page = await store.collection(collection).list({ after: 0, limit: size, maxBytes: Number.MAX_SAFE_INTEGER });
  await close();
  return { documents: size, disk: bytes / page.json.text.length, still };
}

function section({ sizes, timings, still, alone, rewriting, openings }: Measured): Section {
  const rate = (name: string) => timings.get(name)?.perSecond ?? Number.NaN;
  const largest = sizes.at(-1) ?? 0;
  const one = sizes.reduce((sum, size) => sum + rate(`ours 1 ${size}`), 0) / sizes.length;
  return {
    title: 'The store',
    how: [
      'Creates without HTTP, compared with a loop that appends a line of the same length and syncs it',
      `(${Math.round(rate('bare'))}/s; ${Math.round(rate('blocking'))}/s if it may block the event loop), and with lowdb`,
      'as documented. The event loop was blocked for',
      `${still.clock.toFixed(1)} ms at most, under the bare loop for ${alone.clock.toFixed(1)} ms.`,
    ].join(' '),
    tables: [
      {
        rows: sizes.flatMap((size) =>
          [1, 64].map((writers) => ({
            [collection]: size,
            writers,
            'creates/s': Math.round(rate(`ours ${writers} ${size}`)),
            'p99 ms': rounded(timings.get(`ours ${writers} ${size}`)?.p99 ?? Number.NaN),
            'plain lowdb/s': timings.has(`naive ${writers} ${size}`)
              ? rounded(rate(`naive ${writers} ${size}`), 1)
              : '-',
            'of the loop': rounded(rate(`ours ${writers} ${size}`) / rate('bare')),
            'of the blocking loop': rounded(rate(`ours ${writers} ${size}`) / rate('blocking')),
          })),
        ),
      },
    ],
    targets: [
      { what: 'one writer, of the loop', measured: one / rate('bare'), kind: 'at least', bound: 0.85 },
      ...[1, 64].map((writers) => ({
        what: `${writers} writers, at ${largest} of at 1000`,
        measured: rate(`ours ${writers} ${largest}`) / rate(`ours ${writers} 1000`),
        kind: 'at least' as const,
        bound: 0.9,
      })),
      {
        what: `creates, replaces and removes, at ${largest} of at 1000`,
        measured: rate(`mixed 64 ${largest}`) / rate('mixed 64 1000'),
        kind: 'at least',
        bound: 0.8,
      },
      {
        what: `opening ${largest}, ms`,
        measured: median(openings.map(({ milliseconds }) => milliseconds)),
        kind: 'at most',
        bound: 300,
      },
      {
        what: `memory of each of ${largest} ${collection}, bytes`,
        measured: median(openings.map(({ bytes }) => bytes)) / largest,
        kind: 'at most',
        bound: 130,
      },
      {
        what: `disk after ten rewrites of ${rewriting.documents}, of the documents`,
        measured: rewriting.disk,
        kind: 'at most',
        bound: 2.5,
      },
      { what: 'event loop blocked by creates, ms', measured: still.own, kind: 'at most', bound: 25 },
      { what: 'event loop blocked while merging, ms', measured: rewriting.still.own, kind: 'at most', bound: 15 },
    ],
  };
}

function opening(path: string): Opening {
  const script = inRepository('tools/bench/store/open.ts');
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', script, path], { encoding: 'utf8' }));
}

await alone(import.meta, store);
