/**
 * How fast the store is, beside what is possible and what is usual: `node tools/bench/store.ts [--quick]`.
 * All that is compared is measured in turns within one run, so that what else the machine does meets all alike.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bareBlockingLoop, bareLoop, type Contender, naiveLowdb, ourStore } from './store-contenders.ts';
import { type Standstill, standstill, Timing } from './store-measures.ts';

const quick = process.argv.includes('--quick');
const sizes = quick ? [1_000, 10_000, 100_000] : [1_000, 10_000, 100_000, 1_000_000];
const rounds = quick ? 3 : 10;
const largest = sizes.at(-1) ?? 0;
const all = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
let folders = 0;

try {
  await bench();
} finally {
  rmSync(all, { recursive: true, force: true });
}

async function bench() {
  const timings = new Map<string, Timing>();
  const time = (name: string, contender: Contender, writers: number, animals: number) => {
    const timing = timings.get(name) ?? new Timing();
    timings.set(name, timing);
    return timing.slice(contender, writers, animals);
  };
  const rate = (name: string) => timings.get(name)?.perSecond ?? Number.NaN;

  const bare = await bareLoop(all);
  const blocking = await bareBlockingLoop(all);
  const lasting = new Map<number, Contender>();
  for (const size of sizes.filter((size) => size >= 100_000)) lasting.set(size, await ourStore(folder(size), size));

  for (let round = 0; round < rounds; round++) {
    for (const size of sizes) {
      await time('bare', bare, 1, 500);
      await time('blocking', blocking, 1, 500);
      // A small store would not stay one for long.
      const store = lasting.get(size) ?? (await ourStore(folder(), size));
      // A thousand, so that each slice bears the sealing of one segment.
      await time(`ours 1 ${size}`, store, 1, 1000);
      await time(`ours 64 ${size}`, store, 64, 4000);
      if (!lasting.has(size)) await store.close();
    }
  }

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
  for (const contender of [bare, blocking, ...lasting.values()]) await contender.close();

  const openings = Array.from({ length: 5 }, () => opening(folder(largest)));
  for (const size of sizes) {
    const naive = await naiveLowdb(folder(), size);
    await time(`naive 1 ${size}`, naive, 1, Math.max(2, Math.min(200, 100_000 / size)));
    if (size < 100_000) await time(`naive 64 ${size}`, naive, 64, 128);
  }

  console.table(
    sizes.flatMap((size) =>
      [1, 64].map((writers) => ({
        animals: size,
        writers,
        'creates/s': Math.round(rate(`ours ${writers} ${size}`)),
        'p99 ms': Number(timings.get(`ours ${writers} ${size}`)?.p99.toFixed(2)),
        'naive lowdb/s': timings.has(`naive ${writers} ${size}`)
          ? Number(rate(`naive ${writers} ${size}`).toFixed(1))
          : '-',
        'of bare loop': ratio(rate(`ours ${writers} ${size}`), rate('bare')),
        'of blocking loop': ratio(rate(`ours ${writers} ${size}`), rate('blocking')),
      })),
    ),
  );
  console.log(
    `bare append + fdatasync: ${Math.round(rate('bare'))}/s, blocking the event loop: ${Math.round(rate('blocking'))}/s`,
  );

  const one = sizes.reduce((sum, size) => sum + rate(`ours 1 ${size}`), 0) / sizes.length;
  const open = median(openings.map(({ milliseconds }) => milliseconds));
  const bytes = median(openings.map((measured) => measured.bytes)) / largest;
  const rows = [
    target('one writer, of the bare loop', one / rate('bare'), 'at least', 0.7),
    ...[1, 64].map((writers) =>
      target(
        `${writers} writers, at ${largest} of at 1000`,
        rate(`ours ${writers} ${largest}`) / rate(`ours ${writers} 1000`),
        'at least',
        0.9,
      ),
    ),
    target(`opening ${largest}, ms`, open, 'at most', 500),
    target('memory of each animal, bytes', bytes, 'at most', 220),
    target('event loop blocked by the store, ms', still.own, 'at most', 25),
  ];
  console.table(rows);
  console.log(
    `By the clock the event loop stood still for ${still.clock.toFixed(1)} ms at most, under the bare loop for ${alone.clock.toFixed(1)} ms.`,
  );
}

/** The folder of the lasting store of this size, or a new one. */
function folder(size?: number): string {
  const path = join(all, size === undefined ? `store-${folders++}` : `lasting-${size}`);
  mkdirSync(path, { recursive: true });
  return path;
}

function opening(path: string): { milliseconds: number; bytes: number } {
  const script = fileURLToPath(new URL('store-open.ts', import.meta.url));
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', script, path], { encoding: 'utf8' }));
}

function target(what: string, measured: number, kind: 'at least' | 'at most', bound: number) {
  const met = kind === 'at least' ? measured >= bound : measured <= bound;
  return { what, measured: Number(measured.toFixed(2)), target: `${kind} ${bound}`, met: met ? 'yes' : 'NO' };
}

function ratio(part: number, whole: number): number {
  return Number((part / whole).toFixed(2));
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
