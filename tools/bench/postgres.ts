/**
 * How fast the store on PostgreSQL is, beside pgbench sending the same statements: `node tools/bench/postgres.ts [--quick]`.
 * The database is one of its own, with its usual care for the disk; all that is compared is measured in turns within one run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStore, type Store } from '@petstore/server';
import { Cluster, findPrograms } from '@petstore/server/postgres-for-bench';
import { findPgbench, ours, type PgbenchRate, pgbench, type Rate, type Work } from './postgres-contenders.ts';

const quick = process.argv.includes('--quick');
const sizes = [1_000, quick ? 100_000 : 1_000_000] as const;
const [rounds, milliseconds] = quick ? [3, 1_000] : [7, 1_000];
const works: Work[] = ['create', 'list', 'list sold'];
const callers = [1, 64];

const programs = findPrograms();
if (!programs) throw new Error('There is no PostgreSQL here.');
const command = findPgbench(programs.folder);
if (!command) throw new Error('There is no pgbench here.');

interface Measured {
  ours: number[];
  pgbench: number[];
  /** pgbench with 64 animals in a statement. */
  together: number[];
}

const scratch = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
const cluster = await Cluster.create(
  programs,
  'fsync = on\nmax_connections = 200\nshared_buffers = 512MB\nmax_wal_size = 8GB',
);
try {
  await cluster.start();
  await bench(cluster, command);
} finally {
  await cluster.remove();
  rmSync(scratch, { recursive: true });
}

async function bench(cluster: Cluster, command: string) {
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
  report(measured);

  async function measure(work: Work, connections: number, size: number, our: Rate, their: PgbenchRate, round: number) {
    const key = keyOf(work, connections, size);
    const numbers = measured.get(key) ?? { ours: [], pgbench: [], together: [] };
    const rate = await our(work, connections, milliseconds);
    const bare = await their(work, connections, milliseconds);
    const together = work === 'create' && connections === 64 ? await their(work, 1, milliseconds, 64) : Number.NaN;
    // The round before the first one warms up.
    if (round < 0) return;
    numbers.ours.push(rate);
    numbers.pgbench.push(bare);
    numbers.together.push(together);
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
  const store = await openPostgresStore(url, { poolSize: 65 });
  await cluster.ask(`INSERT INTO ${schema}.pets SELECT n, 'Rex the ' || n || 'th', n % 50,
    (ARRAY['available', 'pending', 'sold', NULL])[n % 4 + 1] FROM generate_series(1, ${size}) AS n`);
  await cluster.ask(`UPDATE ${schema}.pet_ids SET last = ${size}`);
  await cluster.ask(`VACUUM ANALYZE ${schema}.pets`);
  await cluster.ask('CHECKPOINT');
  return { size, schema, store };
}

function report(measured: Map<string, Measured>) {
  const rows = works.flatMap((work) =>
    callers.map((connections) => {
      const [small, large] = sizes.map((size) => medians(measured.get(keyOf(work, connections, size))));
      return {
        what: work,
        connections,
        [`/s at ${sizes[0]}`]: Math.round(small?.ours ?? 0),
        [`/s at ${sizes[1]}`]: Math.round(large?.ours ?? 0),
        flat: flat(work, connections),
        'pgbench/s': Math.round(large?.pgbench ?? 0),
        'of pgbench': ratio(large?.ours, large?.pgbench),
        'pgbench, 64 together/s': large?.together ? Math.round(large.together) : '-',
        'of that': large?.together ? ratio(large.ours, large.together) : '-',
        'flat enough (0.8)': flat(work, connections) >= 0.8 ? 'yes' : 'NO',
      };
    }),
  );
  console.table(rows);

  /** Of the large store to the small one, each pair measured one right after the other. */
  function flat(work: Work, connections: number): number {
    const [small, large] = sizes.map((size) => measured.get(keyOf(work, connections, size))?.ours ?? []);
    const ratios = (large ?? []).map((rate, round) => rate / (small?.[round] ?? Number.NaN));
    return Number(median(ratios).toFixed(2));
  }
}

function keyOf(work: Work, connections: number, size: number): string {
  return `${work} ${connections} ${size}`;
}

function medians(numbers: Measured | undefined) {
  const { ours, pgbench, together } = numbers ?? { ours: [], pgbench: [], together: [] };
  return { ours: median(ours), pgbench: median(pgbench), together: median(together) };
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

function ratio(part = Number.NaN, whole = Number.NaN): number {
  return Number((part / whole).toFixed(2));
}
