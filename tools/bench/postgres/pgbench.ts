// The statements of our store, sent by PostgreSQL's own bench.
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { collections } from '@petstore/server';
import { keyColumn, keyOf, tableOf } from '@petstore/server/postgres/schema';
import { statementsOf } from '@petstore/server/postgres/statements';
import { added, collection, filter } from '../workload.ts';

/** The work that is measured of both. */
export const works = ['create', 'list', 'list filtered'] as const;
export type Work = (typeof works)[number];

/** The length of a page. */
export const limit = 20;

/** The command of PostgreSQL's own bench, if it is installed. */
export function findPgbench(folder: string): string | undefined {
  return [join(folder, 'pgbench'), 'pgbench'].find((command) => spawnSync(command, ['--version']).status === 0);
}

/** Documents or pages per second; a statement creates `batch` documents. */
export type Pgbench = (work: Work, connections: number, milliseconds: number, batch?: number) => Promise<number>;

export function pgbench(command: string, url: string, schema: string, size: number, scratch: string): Pgbench {
  return async (work, connections, milliseconds, batch = 1) => {
    const file = join(scratch, `${work.replace(' ', '-')}.sql`);
    writeFileSync(file, script(work, size, batch));
    const seconds = String(Math.max(1, Math.round(milliseconds / 1000)));
    const args = `-n -M prepared -c ${connections} -j 2 -T ${seconds} -D number=${Date.now() * 1000}`;
    // The settings of our sessions: each statement is planned once.
    const plans = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off';
    const env = { ...process.env, PGOPTIONS: `-c search_path=${schema} ${plans}` };
    const { stdout } = await promisify(execFile)(command, [...args.split(' '), '-f', file, url], { env });
    return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]) * batch;
  };
}

function script(work: Work, size: number, batch: number): string {
  if (work === 'create') {
    const bodies = JSON.stringify(Array.from({ length: batch }, () => added));
    // Each of its connections is a writer to the database, and counts its commits from the clock.
    const values = [`'pgbench-' || :client_id`, ':number', '1', String(batch), `'${bodies}'`];
    const oneLine = statementsOf(collections[collection]).create.text.replace(/\s+/g, ' ').trim();
    return `\\set number :number + 1\n${oneLine.replace(/\$(\d)/g, (_, n) => values[Number(n) - 1] ?? '')};\n`;
  }
  // The plainest statement for a page. The store's own also limits the bytes, aggregates the rows, and shares a round trip.
  const condition = work === 'list filtered' ? `${keyColumn(filter.property)} = '${keyOf(filter.value)}' AND ` : '';
  const statement = `SELECT id, data FROM ${tableOf(collection)} WHERE ${condition}id > :after ORDER BY id LIMIT ${limit}`;
  return `\\set after random(0, ${size - 100})\n${statement};\n`;
}
