// Measures the stores without HTTP: lowdb's against a loop that appends and syncs lines, PostgreSQL's against pgbench.
// `store.ts <folder>` opens one folder, and prints the time and memory of that: the bench runs it as a process of its own.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openLowdbStore, openPostgresStore, type Store } from '@petstore/server';
import { Cluster } from '@petstore/testing/postgres/cluster';
import { findPrograms } from '@petstore/testing/postgres/programs';
import { fill, measureRate, median, medianRatio, withScratch } from './measure.ts';
import { atLeast, atMost, type Section } from './section.ts';
import { collection, newDocument, size } from './workload.ts';

type Write = () => unknown;

const FULL = { small: 1_000, large: 1_000_000, rounds: 10, seconds: 4 };
const QUICK = { small: 1_000, large: 100_000, rounds: 3, seconds: 3 };

/** The concurrent writers and readers of a database. */
const CALLERS = 64;

export async function store(quick: boolean): Promise<Section> {
  const sizes = quick ? QUICK : FULL;
  return withScratch(async (scratch) => {
    const lowdb = await measureLowdb(scratch, sizes);
    const postgres = await measurePostgres(scratch, sizes);
    const { loop, one, many, openings, stops } = lowdb;
    const [few, lots] = [sizes.small, sizes.large].map((count) => count.toLocaleString('en-US'));
    return {
      title: 'The stores',
      how: `Creates without HTTP. The loop appends a line of the same length and syncs it (${Math.round(median(loop))}/s): medians of ${sizes.rounds} rounds. pgbench inserts and selects the same without a client language.`,
      tables: [
        {
          rows: [
            { store: `lowdb, ${few}`, writers: 1, 'creates/s': Math.round(median(one.small)) },
            { store: `lowdb, ${lots}`, writers: 1, 'creates/s': Math.round(median(one.large)) },
            { store: `lowdb, ${few}`, writers: 64, 'creates/s': Math.round(median(many.small)) },
            { store: `lowdb, ${lots}`, writers: 64, 'creates/s': Math.round(median(many.large)) },
            ...(postgres?.rows ?? []),
          ],
        },
      ],
      targets: [
        atLeast('one writer / loop', medianRatio([...one.small, ...one.large], [...loop, ...loop]), 0.85),
        atLeast(`one writer: speed at ${lots} / ${few}`, medianRatio(one.large, one.small), 0.8),
        atLeast(`64 writers: speed at ${lots} / ${few}`, medianRatio(many.large, many.small), 0.8),
        atMost(`opening ${lots} ${collection}, ms`, median(openings.map(({ milliseconds }) => milliseconds)), 2_000),
        atMost(`resident memory for each, bytes`, median(openings.map(({ bytes }) => bytes)) / sizes.large, 350),
        atMost('longest stop while folding - in calm, ms', stops.folding - stops.calm, 10),
        ...(postgres?.targets ?? []),
      ],
    };
  });
}

async function measureLowdb(scratch: string, { small, large, rounds }: typeof FULL) {
  const folder = join(scratch, 'large');
  await (await openFilled(folder, large)).close();
  const openings = Array.from({ length: 5 }, () => openingOf(folder));
  const largeStore = await openLowdbStore(folder);
  const bareLoop = await openBareLoop(scratch);
  const loop: number[] = [];
  const [one, many] = [0, 0].map(() => ({ small: [] as number[], large: [] as number[] })) as [Rates, Rates];
  for (let round = 0; round < rounds; round++) {
    const smallStore = await openFilled(join(scratch, `small ${round}`), small);
    loop.push(await measureRate(bareLoop.write, 1, { count: 1000 }));
    one.small.push(await measureRate(creates(smallStore), 1, { count: 1000 }));
    one.large.push(await measureRate(creates(largeStore), 1, { count: 1000 }));
    many.small.push(await measureRate(creates(smallStore), 64, { count: 4000 }));
    many.large.push(await measureRate(creates(largeStore), 64, { count: 4000 }));
    await smallStore.close();
  }
  await bareLoop.close();
  const stops = await longestStops(join(scratch, 'unfolded'), largeStore, large);
  return { loop, one, many, openings, stops };
}

interface Rates {
  small: number[];
  large: number[];
}

/** The longest stops of the event loop under 64 writers, without a fold, and until a fold has ended. */
async function longestStops(folder: string, calm: Store, count: number): Promise<{ calm: number; folding: number }> {
  await longestStop(() => measureRate(creates(calm), 64, { count: 50_000 }));
  const inCalm = await longestStop(() => measureRate(creates(calm), 64, { count: 50_000 }));
  await calm.close();
  // All documents are in a journal, which is at once too long for the lower limit.
  const unfolded = await openLowdbStore(folder, { fold: Number.POSITIVE_INFINITY });
  await fill(unfolded, count);
  await unfolded.close();
  const store = await openLowdbStore(folder, { fold: 1 });
  const hasEnded = () => !existsSync(join(folder, 'store.json.tmp'));
  const folding = await longestStop(async () => {
    do await measureRate(creates(store), 64, { count: 20_000 });
    while (!hasEnded());
  });
  await store.close();
  return { calm: inCalm, folding };
}

/** The longest time between two ticks of a timer of 1 ms during the work, in milliseconds. */
async function longestStop(work: () => Promise<unknown>): Promise<number> {
  let [longest, last] = [0, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  await work();
  await pause(5);
  clearInterval(timer);
  return longest;
}

/** The minimum work of a durable write: appends a line as long as a commit of one document, and syncs it. */
async function openBareLoop(folder: string): Promise<{ write: Write; close: () => Promise<void> }> {
  const line = Buffer.from(
    `12345678 ${JSON.stringify([[collection, 1_234_567, { id: 1_234_567, ...newDocument(1) }]])}\n`,
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

async function openFilled(folder: string, count: number): Promise<Store> {
  const store = await openLowdbStore(folder);
  await fill(store, count);
  return store;
}

let created = 0;
const creates = (store: Store) => () => store.collection(collection).create(newDocument(++created));

/** Measures the store of a database, and pgbench on the same. Undefined where one of them is missing. */
async function measurePostgres(scratch: string, { rounds, seconds }: typeof FULL) {
  const programs = findPrograms(join(scratch, 'programs'));
  const pgbench = ['/usr/bin/pgbench', join(programs?.folder ?? '', 'pgbench')].find(existsSync);
  if (!programs || pgbench === undefined) {
    console.error('SKIPPED: PostgreSQL: there is no pgbench; install postgresql and postgresql-contrib');
    return undefined;
  }
  const cluster = await Cluster.create(programs, 'fsync = on\nfull_page_writes = on\nshared_buffers = 256MB\n');
  await cluster.start();
  const store = await openPostgresStore(cluster.url());
  try {
    await fill(store, size);
    await cluster.ask('CREATE TABLE bare (id bigserial PRIMARY KEY, data json, status text)');
    await cluster.ask('CREATE INDEX ON bare (status, id)');
    await cluster.ask(`INSERT INTO bare (data, status) SELECT data, by_status FROM petstore_${collection} ORDER BY id`);
    const insert = `INSERT INTO bare (data, status) VALUES ('${JSON.stringify(newDocument(1))}', 'available') RETURNING id;`;
    const select = `\\set after random(0, ${size})\nSELECT id, data FROM bare WHERE id > :after ORDER BY id LIMIT 20;`;
    const bench = async (text: string) => {
      const file = join(scratch, 'pgbench.sql');
      writeFileSync(file, text);
      chmodSync(file, 0o644);
      const args = [
        '-n',
        '-M',
        'prepared',
        '-f',
        file,
        '-T',
        `${seconds}`,
        '-c',
        `${CALLERS}`,
        '-j',
        '2',
        cluster.url(),
      ];
      const child = spawn(pgbench, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      for await (const piece of child.stdout) output += piece;
      return Number(/tps = ([\d.]+)/.exec(output)?.[1]);
    };
    const page = () => {
      const after = Math.floor(Math.random() * size);
      return store.collection(collection).list({ after, limit: 20 });
    };
    const [bareCreates, ourCreates, barePages, ourPages]: [number[], number[], number[], number[]] = [[], [], [], []];
    for (let round = 0; round < Math.min(rounds, 5); round++) {
      bareCreates.push(await bench(insert));
      ourCreates.push(await measureRate(creates(store), CALLERS, { milliseconds: seconds * 1000 }));
      barePages.push(await bench(select));
      ourPages.push(await measureRate(page, CALLERS, { milliseconds: seconds * 1000 }));
    }
    const row = (name: string, rates: number[]) => ({
      store: name,
      writers: CALLERS,
      'creates/s': Math.round(median(rates)),
    });
    return {
      rows: [row('PostgreSQL', ourCreates), row('pgbench', bareCreates)],
      targets: [
        atLeast(
          `PostgreSQL: creates / pgbench's (${Math.round(median(bareCreates))}/s)`,
          medianRatio(ourCreates, bareCreates),
          0.7,
        ),
        atLeast(
          `PostgreSQL: pages / pgbench's (${Math.round(median(barePages))}/s)`,
          medianRatio(ourPages, barePages),
          0.7,
        ),
      ],
    };
  } finally {
    await store.close();
    await cluster.remove();
  }
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
