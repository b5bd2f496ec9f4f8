// How fast the store on PostgreSQL is, beside pgbench sending the same statements: `node tools/bench/postgres/main.ts [--quick]`.
// The database is one of its own, with its default durability; all subjects alternate within one run.
import { randomUUID } from 'node:crypto';
import { openPostgresStore, type Store } from '@petstore/server';
import { tableOf } from '@petstore/server/postgres/schema';
import { Cluster } from '@petstore/testing/postgres/cluster';
import { findPrograms } from '@petstore/testing/postgres/programs';
import { fill, median, medianRatio, rounded, withScratch } from '../measure.ts';
import { atLeast, print, type Section } from '../section.ts';
import { added, collection, filter, size } from '../workload.ts';
import { findPgbench, limit, type Pgbench, pgbench, type Work, works } from './pgbench.ts';
import { compareWorkers } from './workers.ts';

const callers = [1, 64];
const MILLISECONDS = 1_000;
const BATCH = 64;

/** Rates per second of one round. */
interface Sample {
  work: Work;
  connections: number;
  size: number;
  ours: number;
  pgbench: number;
  /** pgbench with 64 documents in a statement. */
  batched: number;
  /** Creates with an idempotency key, another one in each. */
  keyed: number;
}

/** Measures the store on a database of its own. Throws where PostgreSQL or pgbench is not installed. */
export async function postgres(quick: boolean): Promise<Section> {
  const [small, large, rounds] = quick ? [1_000, 100_000, 3] : [1_000, 1_000_000, 7];
  return withScratch(async (scratch) => {
    const programs = findPrograms(scratch);
    const command = programs && findPgbench(programs.folder);
    if (!command) throw new Error('PostgreSQL or pgbench is not installed: apt-get install postgresql.');
    const settings = 'fsync = on\nmax_connections = 200\nshared_buffers = 512MB\nmax_wal_size = 8GB';
    const cluster = await Cluster.create(programs, settings);
    try {
      await cluster.start();
      const bench = (filled: Filled) => pgbench(command, cluster.url(), filled.schema, filled.size, scratch);
      const samples = await measure(cluster, bench, [small, large], rounds);
      const result = section(samples, small, large);
      const { store } = await filledStore(cluster, size, 'public');
      await store.close();
      result.tables.push(await compareWorkers(cluster.url(), rounds, MILLISECONDS));
      return result;
    } finally {
      await cluster.remove();
    }
  });
}

async function measure(
  cluster: Cluster,
  bench: (filled: Filled) => Pgbench,
  [small, large]: readonly [number, number],
  rounds: number,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const grown = await filledStore(cluster, large);
  for (let round = -1; round < rounds; round++) {
    // A small store would grow with the rounds, so each has a new one.
    const fresh = await filledStore(cluster, small);
    for (const work of works)
      for (const connections of callers)
        for (const filled of [fresh, grown]) {
          const [our, their] = [callsOf(filled), bench(filled)];
          const ours = await perSecond(our[work], connections);
          const keyed = work === 'create' ? await perSecond(our['create with a key'], connections) : Number.NaN;
          const pgbench = await their(work, connections, MILLISECONDS);
          const isBatched = work === 'create' && connections === BATCH;
          const batched = isBatched ? await their(work, 1, MILLISECONDS, BATCH) : Number.NaN;
          // The round before the first one warms up.
          if (round >= 0) samples.push({ work, connections, size: filled.size, ours, pgbench, batched, keyed });
        }
    await fresh.store.close();
  }
  await grown.store.close();
  return samples;
}

interface Filled {
  size: number;
  schema: string;
  store: Store;
}

async function filledStore(
  cluster: Cluster,
  size: number,
  schema = `bench_${randomUUID().slice(0, 8)}`,
): Promise<Filled> {
  await cluster.ask(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  const url = `${cluster.url()}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
  const store = await openPostgresStore(url);
  await fill(store, size);
  await cluster.ask(`VACUUM ANALYZE ${schema}.${tableOf(collection)}`);
  await cluster.ask('CHECKPOINT');
  return { size, schema, store };
}

/** The calls of our store. */
function callsOf({ store, size }: Filled): Record<Work | 'create with a key', () => unknown> {
  const documents = store.collection(collection);
  const after = () => Math.floor(Math.random() * (size - 100));
  return {
    create: () => documents.create(added),
    'create with a key': () => documents.create(added, { idempotency: { key: randomUUID(), fingerprint: 'same' } }),
    list: () => documents.list({ after: after(), limit }),
    'list filtered': () => documents.list({ after: after(), limit, filter }),
  };
}

/** Concurrent callers repeat a call for a while. */
async function perSecond(call: () => unknown, callers: number): Promise<number> {
  const started = performance.now();
  let done = 0;
  const caller = async () => {
    for (; performance.now() - started < MILLISECONDS; done++) await call();
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (done / (performance.now() - started)) * 1000;
}

function section(samples: readonly Sample[], small: number, large: number): Section {
  const rates = (work: Work, connections: number, size: number, what: 'ours' | 'pgbench' | 'batched' | 'keyed') =>
    samples
      .filter((one) => one.work === work && one.connections === connections && one.size === size)
      .map((one) => one[what]);
  // Each pair was measured one right after the other.
  const largeToSmall = (work: Work, connections: number) =>
    medianRatio(rates(work, connections, large, 'ours'), rates(work, connections, small, 'ours'));
  const ofOther = (work: Work, connections: number, other: 'pgbench' | 'batched') =>
    medianRatio(rates(work, connections, large, 'ours'), rates(work, connections, large, other));
  const rows = works.flatMap((work) =>
    callers.map((connections) => {
      const ours = rates(work, connections, large, 'ours');
      return {
        what: work,
        connections,
        [`/s at ${small}`]: Math.round(median(rates(work, connections, small, 'ours'))),
        [`/s at ${large}`]: Math.round(median(ours)),
        'large to small': rounded(largeToSmall(work, connections)),
        'of pgbench': rounded(ofOther(work, connections, 'pgbench')),
        [`of pgbench, ${BATCH} in a statement`]: orDash(ofOther(work, connections, 'batched')),
        'with a key, of without': orDash(medianRatio(rates(work, connections, large, 'keyed'), ours)),
      };
    }),
  );
  return {
    title: 'The store on PostgreSQL',
    how: 'The store without HTTP, with its default 10 connections, compared with pgbench, which creates with the same statement and reads a page with the plainest one. The database runs on the same machine with its default durability.',
    tables: [{ rows }],
    targets: [
      ...works.flatMap((work) =>
        callers.map((connections) =>
          atLeast(`${work}, ${connections} at once: large to small`, largeToSmall(work, connections), 0.8),
        ),
      ),
      atLeast('create, 1 at once: of pgbench', ofOther('create', 1, 'pgbench'), 0.85),
      atLeast('list, 64 at once: of pgbench', ofOther('list', 64, 'pgbench'), 0.7),
      atLeast('list filtered, 64 at once: of pgbench', ofOther('list filtered', 64, 'pgbench'), 0.7),
    ],
  };
}

const orDash = (ratio: number) => (Number.isNaN(ratio) ? '-' : rounded(ratio));

if (import.meta.main) print(await postgres(process.argv.includes('--quick')));
