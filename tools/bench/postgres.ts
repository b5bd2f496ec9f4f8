// Compares the store of a PostgreSQL database with pgbench, PostgreSQL's own bench, on the same
// database.
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openPostgresStore, type Store } from '@petstore/server';
import { newCluster, postgresFolder } from '@petstore/testing/postgres';
import { compare, type Effort, type Table } from './measure.ts';
import {
  CONCURRENCY,
  collection,
  fill,
  measureCreateRate,
  measureRate,
  newPet,
  PET_COUNT,
} from './workload.ts';

/** The table of pgbench, which has the same rows, and the same index for the filter. */
const tableSql = `CREATE TABLE bare (id bigserial PRIMARY KEY, data json, status text);
  CREATE INDEX ON bare (status, id);
  INSERT INTO bare (data, status)
    SELECT data, data->>'status' FROM petstore_${collection} ORDER BY id`;
const insertSql = `INSERT INTO bare (data, status)
  VALUES ('${JSON.stringify(newPet(1))}', 'available') RETURNING id;`;
const selectSql = `\\set after random(0, ${PET_COUNT})
  SELECT id, data FROM bare WHERE id > :after ORDER BY id LIMIT 20;`;

/** Measures nothing where PostgreSQL or pgbench is missing. */
export async function measurePostgres(scratch: string, effort: Effort): Promise<Table> {
  const pgbench = join(postgresFolder() ?? '', 'pgbench');
  if (!existsSync(pgbench)) {
    console.error('SKIPPED: PostgreSQL in the bench: there is no pgbench; install postgresql');
    return [];
  }
  const cluster = await newCluster('shared_buffers = 256MB');
  try {
    await cluster.start();
    const store = await openPostgresStore(cluster.url());
    await fill(store, PET_COUNT);
    await cluster.ask(tableSql);
    const bare = (sql: string) => measurePgbenchRate(pgbench, cluster.url(), scratch, sql, effort);
    const creates = {
      pgbench: { measure: () => bare(insertSql) },
      'PostgreSQL store': {
        measure: () => measureCreateRate(store, CONCURRENCY, effort.requests),
        atLeast: 0.7,
      },
    };
    const pages = {
      pgbench: { measure: () => bare(selectSql) },
      'PostgreSQL store': { measure: () => measurePageRate(store, effort.requests), atLeast: 0.7 },
    };
    const table = [
      ...(await compare('creates a second in PostgreSQL', creates, effort)),
      ...(await compare('pages a second from PostgreSQL', pages, effort)),
    ];
    await store.close();
    return table;
  } finally {
    await cluster.remove();
  }
}

/** Measures the number of pages at random places that are read in a second. */
function measurePageRate(store: Store, count: number): Promise<number> {
  const pets = store.collection(collection);
  const page = () => pets.list({ after: Math.floor(Math.random() * PET_COUNT), limit: 20 });
  return measureRate(page, CONCURRENCY, count);
}

/** The transactions per second that pgbench reports. */
async function measurePgbenchRate(
  pgbench: string,
  url: string,
  scratch: string,
  sql: string,
  { milliseconds }: Effort,
): Promise<number> {
  const file = join(scratch, 'pgbench.sql');
  writeFileSync(file, sql);
  const seconds = Math.ceil(milliseconds / 1000);
  const options = `-n -M prepared -j 2 -c ${CONCURRENCY} -T ${seconds}`.split(' ');
  const { stdout } = await promisify(execFile)(pgbench, [...options, '-f', file, url]);
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
}
