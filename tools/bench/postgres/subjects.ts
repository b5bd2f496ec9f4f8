import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { collections, type Store } from '@petstore/server';
import { keyColumn, keyOf, tableOf } from '@petstore/server/postgres/schema';
import { statementsOf } from '@petstore/server/postgres/statements';
import { added, collection, filter } from '../workload.ts';

export type Work = 'create' | 'list' | 'list filtered';

/** How many times a second something is done with so many connections, for so many milliseconds. */
export type Rate = (work: Work | 'create with a key', connections: number, milliseconds: number) => Promise<number>;

const limit = 20;

/** Our store, with as many callers as connections. */
export function ours(store: Store, size: number): Rate {
  const documents = store.collection(collection);
  const after = () => Math.floor(Math.random() * (size - 100));
  const doing: Record<Parameters<Rate>[0], () => unknown> = {
    create: () => documents.create(added),
    'create with a key': () => documents.create(added, { idempotency: { key: randomUUID(), fingerprint: 'same' } }),
    list: () => documents.list({ after: after(), limit }),
    'list filtered': () => documents.list({ after: after(), limit, filter }),
  };
  return async (work, connections, milliseconds) => {
    const started = performance.now();
    let done = 0;
    const call = async () => {
      for (; performance.now() - started < milliseconds; done++) await doing[work]();
    };
    await Promise.all(Array.from({ length: connections }, call));
    return (done / (performance.now() - started)) * 1000;
  };
}

/** The command of PostgreSQL's own bench, if it is there. */
export function findPgbench(folder: string): string | undefined {
  return [join(folder, 'pgbench'), 'pgbench'].find((command) => spawnSync(command, ['--version']).status === 0);
}

/** The same statements sent by pgbench; `together` is how many documents a statement brings. */
export function pgbench(command: string, url: string, schema: string, size: number, scratch: string): PgbenchRate {
  return async (work, connections, milliseconds, together = 1) => {
    const file = join(scratch, `${work.replace(' ', '-')}.sql`);
    writeFileSync(file, script(work, size, together));
    const seconds = String(Math.max(1, Math.round(milliseconds / 1000)));
    const how = `-n -M prepared -c ${connections} -j 2 -T ${seconds} -D number=${Date.now() * 1000}`;
    // The settings of our sessions: each statement is planned once.
    const plans = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off';
    const env = { ...process.env, PGOPTIONS: `-c search_path=${schema} ${plans}` };
    const { stdout } = await promisify(execFile)(command, [...how.split(' '), '-f', file, url], { env });
    return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]) * together;
  };
}

export type PgbenchRate = (work: Work, connections: number, milliseconds: number, together?: number) => Promise<number>;

function script(work: Work, size: number, together: number): string {
  const { create } = statementsOf(collections[collection]);
  if (work === 'create') {
    const bodies = JSON.stringify(Array.from({ length: together }, () => added));
    const values = [`'pgbench-' || :client_id`, ':number', '1', String(together), `'${bodies}'`];
    // Each of its connections is a writer to the database, and counts its commits from the clock.
    return `\\set number :number + 1\n${filled(create.text, values)};\n`;
  }
  // The plainest statement for a page, which the store's own are measured by, too: they also cut it, join it and share a round trip.
  const condition = work === 'list filtered' ? `${keyColumn(filter.property)} = '${keyOf(filter.value)}' AND ` : '';
  const statement = `SELECT id, data FROM ${tableOf(collection)} WHERE ${condition}id > :after ORDER BY id LIMIT ${limit}`;
  return `\\set after random(0, ${size - 100})\n${statement};\n`;
}

function filled(text: string, values: readonly string[]): string {
  const oneLine = text.replace(/\s+/g, ' ').trim();
  return oneLine.replace(/\$(\d)/g, (_, place) => values[Number(place) - 1] ?? '');
}
