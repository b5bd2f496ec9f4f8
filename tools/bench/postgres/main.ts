/**
 * How fast the store on PostgreSQL is, beside pgbench sending the same statements: `node tools/bench/postgres/main.ts [--quick]`.
 * The database is one of its own, with its default durability; all subjects alternate within one run.
 */
import { openPostgresStore, type Store } from '@petstore/server';
import { tableOf } from '@petstore/server/postgres/schema';
import { Cluster } from '@petstore/testing/postgres/cluster';
import { findPrograms } from '@petstore/testing/postgres/programs';
import { fill, withScratch } from '../fixtures.ts';
import { median, medianRatio, rounded } from '../rounds.ts';
import { alone, type Section } from '../section.ts';
import { collection } from '../workload.ts';
import { findPgbench, ours, type PgbenchRate, pgbench, type Rate, type Work } from './subjects.ts';

const works: Work[] = ['create', 'list', 'list filtered'];
const callers = [1, 64];
const milliseconds = 1_000;

interface Measured {
  ours: number[];
  pgbench: number[];
  /** pgbench with 64 documents in a statement. */
  together: number[];
  /** Creates with an idempotency key, another one in each. */
  withKey: number[];
}

const nothing: Measured = { ours: [], pgbench: [], together: [], withKey: [] };

/** Measures the store on a database of its own. Throws where PostgreSQL or pgbench is not installed. */
export async function postgres(quick: boolean): Promise<Section> {
  const sizes = [1_000, quick ? 100_000 : 1_000_000] as const;
  const settings = 'fsync = on\nmax_connections = 200\nshared_buffers = 512MB\nmax_wal_size = 8GB';
  return withScratch(async (scratch) => {
    const programs = findPrograms(scratch);
    if (!programs) throw new Error('There is no PostgreSQL here.');
    const command = findPgbench(programs.folder);
    if (!command) throw new Error('There is no pgbench here.');
    const cluster = await Cluster.create(programs, settings);
    try {
      await cluster.start();
      return section(await bench(cluster, command, scratch, sizes, quick ? 3 : 7), sizes);
    } finally {
      await cluster.remove();
    }
  });
}

async function bench(
  cluster: Cluster,
  command: string,
  scratch: string,
  sizes: readonly [number, number],
  rounds: number,
): Promise<Map<string, Measured>> {
  const measured = new Map<string, Measured>();
  const grown = await filled(cluster, sizes[1]);
  for (let round = -1; round < rounds; round++) {
    // A small store would not stay one for long.
    const small = await filled(cluster, sizes[0]);
    for (const work of works) {
      for (const connections of callers) {
        for (const { size, store, schema } of [small, grown]) {
          const theirs = pgbench(command, cluster.url(), schema, size, scratch);
          await measure(work, connections, size, ours(store, size), theirs, round);
        }
      }
    }
    await small.store.close();
  }
  await grown.store.close();
  return measured;

  async function measure(work: Work, connections: number, size: number, our: Rate, their: PgbenchRate, round: number) {
    const key = keyOf(work, connections, size);
    const numbers = measured.get(key) ?? structuredClone(nothing);
    const rate = await our(work, connections, milliseconds);
    const withKey = work === 'create' ? await our('create with a key', connections, milliseconds) : Number.NaN;
    const bare = await their(work, connections, milliseconds);
    const together = work === 'create' && connections === 64 ? await their(work, 1, milliseconds, 64) : Number.NaN;
    // The round before the first one warms up.
    if (round < 0) return;
    numbers.ours.push(rate);
    numbers.pgbench.push(bare);
    numbers.together.push(together);
    numbers.withKey.push(withKey);
    measured.set(key, numbers);
  }
}

interface Filled {
  size: number;
  schema: string;
  store: Store;
}

async function filled(cluster: Cluster, size: number): Promise<Filled> {
  const schema = `bench_${Math.random().toString(36).slice(2)}`;
  await cluster.ask(`CREATE SCHEMA ${schema}`);
  const url = `${cluster.url()}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
  const store = await openPostgresStore(url);
  await fill(store, size);
  await cluster.ask(`VACUUM ANALYZE ${schema}.${tableOf(collection)}`);
  await cluster.ask('CHECKPOINT');
  return { size, schema, store };
}

function section(measured: Map<string, Measured>, sizes: readonly [number, number]): Section {
  const [small, large] = sizes;
  const of = (work: Work, connections: number, size: number) => measured.get(keyOf(work, connections, size)) ?? nothing;
  // Each pair was measured one right after the other.
  const flat = (work: Work, connections: number) =>
    medianRatio(of(work, connections, large).ours, of(work, connections, small).ours);
  const ofPgbench = (work: Work, connections: number) => {
    const rates = of(work, connections, large);
    return medianRatio(rates.ours, rates.pgbench);
  };
  const rows = works.flatMap((work) =>
    callers.map((connections) => {
      const rates = of(work, connections, large);
      const [ours, bare, together] = [median(rates.ours), median(rates.pgbench), median(rates.together)];
      return {
        what: work,
        connections,
        [`/s at ${small}`]: Math.round(median(of(work, connections, small).ours)),
        [`/s at ${large}`]: Math.round(ours),
        'large to small': rounded(flat(work, connections)),
        'pgbench/s': Math.round(bare),
        'of pgbench': rounded(ofPgbench(work, connections)),
        'pgbench, 64 together/s': together ? Math.round(together) : '-',
        'of that': together ? rounded(ours / together) : '-',
        'with a key, of without': work === 'create' ? rounded(medianRatio(rates.withKey, rates.ours)) : '-',
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
          atLeast(`${work}, ${connections} at once: large to small`, flat(work, connections), 0.8),
        ),
      ),
      atLeast('create, 1 at once: of pgbench', ofPgbench('create', 1), 0.85),
      atLeast('list, 64 at once: of pgbench', ofPgbench('list', 64), 0.7),
      atLeast('list filtered, 64 at once: of pgbench', ofPgbench('list filtered', 64), 0.7),
    ],
  };
}

const atLeast = (what: string, measured: number, bound: number) => ({
  what,
  measured,
  kind: 'at least' as const,
  bound,
});

function keyOf(work: Work, connections: number, size: number): string {
  return `${work} ${connections} ${size}`;
}

await alone(import.meta, postgres);
