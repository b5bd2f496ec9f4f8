// Measures the stores without HTTP: lowdb's against a loop that appends and syncs lines, PostgreSQL's against pgbench.
// `store.ts <folder>` opens one folder, and prints the time and memory of that: the bench runs it as a process of its own.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openLowdbStore, openPostgresStore, type Store } from '@petstore/server';
import { newCluster, postgresFolder } from '@petstore/testing/postgres';
import { collection, fill, filledStore, newPet, size } from './load.ts';
import {
  inRounds,
  median,
  medianRatio,
  newScratch,
  rateOf,
  type Section,
  type Target,
} from './measure.ts';

const [small, large, rounds, writers] = [1_000, 1_000_000, 8, 64];
let created = 0;
const creating = (store: Store) => () => store.collection(collection).create(newPet(++created));

export async function store(): Promise<Section> {
  using scratch = newScratch();
  const lowdb = await measureLowdb(scratch.path);
  const postgres = await measurePostgres(scratch.path);
  const how = `Creates without HTTP by one writer and by ${writers}; the loop appends a line of the same length and syncs it. pgbench inserts and selects the same rows. Medians of ${rounds} rounds.`;
  const rows = Object.entries({ ...lowdb.rates, ...postgres.rates }).map(([subject, rates]) => ({
    subject,
    'writes or pages/s': Math.round(median(rates)),
  }));
  return {
    title: 'The stores',
    how,
    tables: [rows],
    targets: [...lowdb.targets, ...postgres.targets],
  };
}

async function measureLowdb(scratch: string) {
  const [bareFile, largeFolder] = [join(scratch, 'bare'), join(scratch, 'large')];
  await (await filledStore(largeFolder, large)).close();
  const args = ['--expose-gc', import.meta.filename, largeFolder];
  const opening = () => JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  const openings = [opening(), opening(), opening()];
  const stores = {
    small: await filledStore(join(scratch, 'small'), small),
    large: await openLowdbStore(largeFolder),
  };
  const line = Buffer.from(
    `12345678 ${JSON.stringify([[collection, 1_234_567, { id: 1_234_567, ...newPet(1) }]])}\n`,
  );
  const handle = await open(bareFile, 'a');
  const bare = async () => {
    await handle.write(line);
    await handle.datasync();
  };
  const subjects: Record<string, () => Promise<number>> = {
    'append + sync': () => rateOf(bare, 1, 1000),
    'lowdb, 1,000 pets, 1 writer': () => rateOf(creating(stores.small), 1, 1000),
    'lowdb, 1,000,000 pets, 1 writer': () => rateOf(creating(stores.large), 1, 1000),
    'lowdb, 1,000 pets, 64 writers': () => rateOf(creating(stores.small), writers, 5000),
    'lowdb, 1,000,000 pets, 64 writers': () => rateOf(creating(stores.large), writers, 5000),
  };
  const rates = await inRounds(subjects, rounds);
  await handle.close();
  const [loop, one, oneLarge, many, manyLarge] = Object.values(rates);
  const calm = await longestStop(() => rateOf(creating(stores.large), writers, 50_000));
  for (const each of Object.values(stores)) await each.close();
  // The lower limit for the journal makes the store fold it at once.
  const folding = await openLowdbStore(largeFolder, { fold: 1 });
  const isFolding = () => existsSync(join(largeFolder, 'store.json.tmp'));
  const stop = await longestStop(async () => {
    do await rateOf(creating(folding), writers, 20_000);
    while (isFolding());
  });
  await folding.close();
  const targets: Target[] = [
    ['one writer / append + sync', medianRatio(one, loop), '≥', 0.85],
    ['one writer: 1,000,000 pets / 1,000', medianRatio(oneLarge, one), '≥', 0.8],
    ['64 writers: 1,000,000 pets / 1,000', medianRatio(manyLarge, many), '≥', 0.8],
    [
      'opening 1,000,000 pets, ms',
      median(openings.map(({ milliseconds }) => milliseconds)),
      '≤',
      2000,
    ],
    [
      'resident memory for each, bytes',
      median(openings.map(({ bytes }) => bytes)) / large,
      '≤',
      350,
    ],
    ['longest stop while folding - in calm, ms', stop - calm, '≤', 10],
  ];
  return { rates, targets };
}

/** The longest time that the work kept the event loop from its timers, in milliseconds. */
async function longestStop(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  await work();
  await pause(5);
  delays.disable();
  return delays.max / 1e6;
}

/** Measures the store of a database, and pgbench on the same. Nothing where one of them is missing. */
async function measurePostgres(scratch: string) {
  const pgbench = join(postgresFolder() ?? '', 'pgbench');
  if (!existsSync(pgbench)) {
    console.error('SKIPPED: PostgreSQL in the bench: there is no pgbench; install postgresql');
    return { rates: {}, targets: [] };
  }
  const cluster = await (await newCluster('shared_buffers = 256MB')).start();
  const ours = await openPostgresStore(cluster.url());
  const byPgbench = (name: string, sql: string) => {
    const file = join(scratch, name);
    writeFileSync(file, sql);
    const flags = `-n -M prepared -f ${file} -T 2 -j 2 -c ${writers} ${cluster.url()}`.split(' ');
    return async () =>
      Number(/tps = ([\d.]+)/.exec((await promisify(execFile)(pgbench, flags)).stdout)?.[1]);
  };
  try {
    await fill(ours, size);
    await cluster.ask(`CREATE TABLE bare (id bigserial PRIMARY KEY, data json, status text);
      CREATE INDEX ON bare (status, id);
      INSERT INTO bare (data, status) SELECT data, by_status FROM petstore_${collection} ORDER BY id`);
    const page = () =>
      ours.collection(collection).list({ after: Math.floor(Math.random() * size), limit: 20 });
    const insert = `INSERT INTO bare (data, status) VALUES ('${JSON.stringify(newPet(1))}', 'available') RETURNING id;`;
    const select = `\\set after random(0, ${size})\nSELECT id, data FROM bare WHERE id > :after ORDER BY id LIMIT 20;`;
    const subjects = {
      'pgbench, inserts': byPgbench('insert.sql', insert),
      'PostgreSQL, creates': () => rateOf(creating(ours), writers, 10_000),
      'pgbench, selects': byPgbench('select.sql', select),
      'PostgreSQL, pages': () => rateOf(page, writers, 10_000),
    };
    const rates = await inRounds(subjects, 4);
    const [inserts, creates, selects, pages] = Object.values(rates);
    const targets: Target[] = [
      ["PostgreSQL: creates / pgbench's", medianRatio(creates, inserts), '≥', 0.7],
      ["PostgreSQL: pages / pgbench's", medianRatio(pages, selects), '≥', 0.7],
    ];
    return { rates, targets };
  } finally {
    await ours.close();
    await cluster.remove();
  }
}

/** Prints how a new process opens a store: the milliseconds, and the resident memory that it adds. */
if (import.meta.main) {
  const resident = () => {
    globalThis.gc?.();
    return process.memoryUsage.rss();
  };
  const before = resident();
  const started = performance.now();
  const opened = await openLowdbStore(process.argv[2] ?? '');
  console.log(
    JSON.stringify({ milliseconds: performance.now() - started, bytes: resident() - before }),
  );
  await opened.close();
}
