// Measures the store of a PostgreSQL database beside pgbench, PostgreSQL's own bench, on the same database.
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openPostgresStore, type Store } from '@petstore/server';
import { newCluster, postgresFolder } from '@petstore/testing/postgres';
import { CALLERS, createRate } from './creates.ts';
import {
  atLeast,
  type Effort,
  inRotation,
  median,
  medianRatio,
  type Part,
  rateOf,
} from './measure.ts';
import { collection, fill, newPet, size } from './pets.ts';

const PAGE = 20;

/** The table of pgbench, which has the same rows and the index of the same filter. */
const tableSql = `CREATE TABLE bare (id bigserial PRIMARY KEY, data json, status text);
  CREATE INDEX ON bare (status, id);
  INSERT INTO bare (data, status)
    SELECT data, data->>'status' FROM petstore_${collection} ORDER BY id`;
const insertSql = `INSERT INTO bare (data, status)
  VALUES ('${JSON.stringify(newPet(1))}', 'available') RETURNING id;`;
const selectSql = `\\set after random(0, ${size - PAGE})
SELECT id, data FROM bare WHERE id > :after ORDER BY id LIMIT ${PAGE};`;

/** Measures nothing where PostgreSQL or pgbench is missing. */
export async function measurePostgres(scratch: string, effort: Effort): Promise<Part> {
  const pgbench = join(postgresFolder() ?? '', 'pgbench');
  if (!existsSync(pgbench)) {
    console.error('SKIPPED: PostgreSQL in the bench: there is no pgbench; install postgresql');
    return { tables: [], targets: [] };
  }
  const cluster = await newCluster('shared_buffers = 256MB');
  try {
    await cluster.start();
    const store = await openPostgresStore(cluster.url());
    await fill(store, size);
    await cluster.ask(tableSql);
    const bare = (name: string, sql: string) => {
      const file = join(scratch, name);
      writeFileSync(file, sql);
      return () => rateOfPgbench(pgbench, file, cluster.url(), effort);
    };
    const subjects = {
      inserts: bare('insert.sql', insertSql),
      creates: () => createRate(store, CALLERS, effort.requests),
      selects: bare('select.sql', selectSql),
      pages: () => pageRate(store, effort.requests),
    };
    const rates = await inRotation('store: PostgreSQL', subjects, effort.rounds);
    await store.close();
    return partOf(rates);
  } finally {
    await cluster.remove();
  }
}

function partOf(
  rates: Readonly<Record<'inserts' | 'creates' | 'selects' | 'pages', number[]>>,
): Part {
  const row = (what: string, ours: readonly number[], bare: readonly number[]) => ({
    'PostgreSQL, a second': what,
    ours: median(ours),
    pgbench: median(bare),
    ratio: medianRatio(ours, bare),
  });
  return {
    tables: [
      [
        row('creates', rates.creates, rates.inserts),
        row(`pages of ${PAGE}`, rates.pages, rates.selects),
      ],
    ],
    targets: [
      atLeast('PostgreSQL: creates / pgbench', medianRatio(rates.creates, rates.inserts), 0.7),
      atLeast('PostgreSQL: pages / pgbench', medianRatio(rates.pages, rates.selects), 0.7),
    ],
  };
}

/** Measures how many pages at random places are read in a second. */
function pageRate(store: Store, count: number): Promise<number> {
  const pets = store.collection(collection);
  const page = () => pets.list({ after: Math.floor(Math.random() * (size - PAGE)), limit: PAGE });
  return rateOf(page, CALLERS, count);
}

/** The transactions per second that pgbench reports. */
async function rateOfPgbench(
  pgbench: string,
  file: string,
  url: string,
  { milliseconds }: Effort,
): Promise<number> {
  const seconds = Math.ceil(milliseconds / 1000);
  const flags = [
    '-n',
    '-M',
    'prepared',
    '-f',
    file,
    '-T',
    `${seconds}`,
    '-j',
    '2',
    '-c',
    `${CALLERS}`,
    url,
  ];
  const { stdout } = await promisify(execFile)(pgbench, flags);
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
}
