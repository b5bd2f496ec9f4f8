// Measures the store on PostgreSQL, and compares it with pgbench, which creates with the same statement and reads pages with a simpler
// one. The bench creates its own database, with the default durability; all subjects alternate within one run.
import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { collections, openPostgresStore, type Store } from '@petstore/server/internal';
import { keyExpression, keyOf, tableOf } from '@petstore/server/postgres/schema';
import { statementsOf } from '@petstore/server/postgres/statements';
import { Cluster } from '@petstore/testing/postgres/cluster';
import { findPrograms } from '@petstore/testing/postgres/programs';
import { fill, inRounds, measureRate, median, medianRatio, rounded, withScratch } from '../measure.ts';
import { atLeast, type Section } from '../section.ts';
import { added, collection, filter, size as serverSize } from '../workload.ts';
import { compareWorkers } from './workers.ts';

const SETTINGS = 'fsync = on\nmax_connections = 200\nshared_buffers = 512MB\nmax_wal_size = 8GB';
const SAMPLE_MS = 1_000;
/** The number of documents in one statement of pgbench, which is compared with as many concurrent callers of the store. */
const BATCH = 64;
/** The length of a page. */
const PAGE = 20;
const SCHEMA = 'bench';

type Work = 'create' | 'list' | 'list filtered';

/** The work, the number of concurrent callers, and the target as a share of pgbench's rate. */
const subjects: readonly { work: Work; callers: number; target?: number }[] = [
  { work: 'create', callers: 1, target: 0.85 },
  { work: 'create', callers: 64 },
  { work: 'list', callers: 1 },
  { work: 'list', callers: 64, target: 0.7 },
  { work: 'list filtered', callers: 1 },
  { work: 'list filtered', callers: 64, target: 0.7 },
];

/** Measures the store on a database of its own. Throws if PostgreSQL or pgbench is not installed. */
export async function postgres(quick: boolean): Promise<Section> {
  const [size, rounds] = quick ? [100_000, 3] : [1_000_000, 7];
  return withScratch(async (scratch) => {
    const programs = findPrograms(scratch);
    const commands = programs ? [join(programs.folder, 'pgbench'), 'pgbench'] : [];
    const command = commands.find((name) => spawnSync(name, ['--version']).status === 0);
    if (!programs || !command) throw new Error('PostgreSQL or pgbench is not installed: apt-get install postgresql.');
    const cluster = await Cluster.create(programs, SETTINGS);
    try {
      await cluster.start();
      const store = await filledStore(cluster, size, SCHEMA);
      const calls = callsOf(store, size);
      const pgbench = (work: Work, connections: number, batch = 1) =>
        runPgbench(command, cluster.url(), connections, batch, writeScript(scratch, work, size, batch));
      const measured = await inRounds(subjects, rounds, async ({ work, callers }) => {
        const ours = await measureRate(calls[work], callers, { milliseconds: SAMPLE_MS });
        const theirs = await pgbench(work, callers);
        if (work !== 'create') return { ours, theirs, keyed: Number.NaN, batched: Number.NaN };
        const keyed = await measureRate(calls['create with a key'], callers, { milliseconds: SAMPLE_MS });
        return { ours, theirs, keyed, batched: callers === BATCH ? await pgbench(work, 1, BATCH) : Number.NaN };
      });
      await store.close();
      await (await filledStore(cluster, serverSize, 'public')).close();
      const workers = await compareWorkers(cluster.url(), rounds, SAMPLE_MS);
      const results = [...measured].map(([subject, samples]) => {
        const every = (what: keyof (typeof samples)[number]) => samples.map((sample) => sample[what]);
        const ofTheirs = medianRatio(every('ours'), every('theirs'));
        const row = {
          what: subject.work,
          callers: subject.callers,
          [`/s, ${size} ${collection} at first`]: Math.round(median(every('ours'))),
          'of pgbench': rounded(ofTheirs),
          [`of pgbench, ${BATCH} in a statement`]: orDash(medianRatio(every('ours'), every('batched'))),
          'with a key, ratio to without': orDash(medianRatio(every('keyed'), every('ours'))),
        };
        return { ...subject, row, ofTheirs };
      });
      return {
        title: 'The store on PostgreSQL',
        how: 'The store without HTTP, with its default 10 connections, compared with pgbench, which creates with the same statement and reads a page with the plainest one. The database runs on the same machine with its default durability.',
        tables: [{ rows: results.map(({ row }) => row) }, workers],
        targets: results.flatMap(({ work, callers, target, ofTheirs }) =>
          target === undefined ? [] : [atLeast(`${work}, ${callers} at once: of pgbench`, ofTheirs, target)],
        ),
      };
    } finally {
      await cluster.remove();
    }
  });
}

const orDash = (ratio: number) => (Number.isNaN(ratio) ? '-' : rounded(ratio));

async function filledStore(cluster: Cluster, size: number, schema: string): Promise<Store> {
  await cluster.ask(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  const store = await openPostgresStore(`${cluster.url()}?options=${encodeURIComponent(`-c search_path=${schema}`)}`);
  await fill(store, size);
  await cluster.ask(`VACUUM ANALYZE ${schema}.${tableOf(collection)}`);
  await cluster.ask('CHECKPOINT');
  return store;
}

/** The calls of our store. */
function callsOf(store: Store, size: number): Record<Work | 'create with a key', () => unknown> {
  const documents = store.collection(collection);
  const after = () => Math.floor(Math.random() * (size - 100));
  return {
    create: () => documents.create(added),
    'create with a key': () => documents.create(added, { idempotency: { key: randomUUID(), fingerprint: 'same' } }),
    list: () => documents.list({ after: after(), limit: PAGE }),
    'list filtered': () => documents.list({ after: after(), limit: PAGE, filter }),
  };
}

/** Runs pgbench, and returns documents or pages per second. */
async function runPgbench(command: string, url: string, connections: number, batch: number, script: string) {
  const args = `-n -M prepared -c ${connections} -j 2 -T ${SAMPLE_MS / 1000} -D number=${Date.now() * 1000}`;
  // The settings of our sessions: each statement is planned once.
  const plans = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off';
  const env = { ...process.env, PGOPTIONS: `-c search_path=${SCHEMA} ${plans}` };
  const { stdout } = await promisify(execFile)(command, [...args.split(' '), '-f', script, url], { env });
  return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]) * batch;
}

/** Writes the statement of our store as a script of pgbench, and returns its file. A statement creates `batch` documents. */
function writeScript(folder: string, work: Work, size: number, batch: number): string {
  const file = join(folder, `${work.replace(' ', '-')}.sql`);
  if (work === 'create') {
    const bodies = JSON.stringify(Array.from({ length: batch }, () => added));
    // To the database, each connection of pgbench is a writer, which numbers its commits from the current time on.
    const values = [`'pgbench-' || :client_id`, ':number', '1', String(batch), `'${bodies}'`];
    const oneLine = statementsOf(collections[collection]).create.text.replace(/\s+/g, ' ').trim();
    const statement = oneLine.replace(/\$(\d)/g, (_, n) => values[Number(n) - 1] ?? '');
    writeFileSync(file, `\\set number :number + 1\n${statement};\n`);
  } else {
    // The plainest statement for a page. The store's own also limits the bytes, aggregates the rows, and shares a round trip.
    const condition =
      work === 'list filtered' ? `${keyExpression(filter.property)} = '${keyOf(filter.value)}' AND ` : '';
    const statement = `SELECT id, data FROM ${tableOf(collection)} WHERE ${condition}id > :after ORDER BY id LIMIT ${PAGE}`;
    writeFileSync(file, `\\set after random(0, ${size - 100})\n${statement};\n`);
  }
  return file;
}
