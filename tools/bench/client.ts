/**
 * How large the client is and what a call through it costs, beside its likes: `node tools/bench/client.ts [--quick]`.
 * No network: fetch is replaced by one that answers at once, so that what is measured is what a client adds.
 */
import { deepStrictEqual } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleConsumers, type Consumer } from './client-consumers.ts';

const quick = process.argv.includes('--quick');
const rounds = quick ? 15 : 60;
const calls = quick ? 500 : 2_000;
const pets = [
  { id: 1, name: 'Rex', categoryId: 2, status: 'available' },
  { id: 7, name: 'Tom', categoryId: 3, status: 'available' },
];

const scratch = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
try {
  const text = JSON.stringify(pets);
  const headers = { 'content-type': 'application/json', 'x-request-id': 'a-request' };
  globalThis.fetch = async () => new Response(text, { headers });
  await bench(await bundleConsumers(scratch));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function bench(consumers: readonly Consumer[]) {
  for (const { name, call } of consumers) deepStrictEqual(await call(), pets, `${name} does not list the animals`);
  const timings = new Map<string, number[]>(consumers.map(({ name }) => [name, []]));
  // In turns, so that what else the machine does meets all alike. The first round only warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const { name, call } of consumers) {
      const cost = await timed(call);
      if (round > 0) timings.get(name)?.push(cost);
    }
  }

  const cost = (name: string) => median(timings.get(name) ?? []);
  const size = (name: string) => consumers.find((consumer) => consumer.name === name)?.size ?? Number.NaN;
  console.table(
    consumers.map(({ name }) => ({
      client: name,
      'gzipped bytes': size(name),
      'of ours': ratio(size(name), size('@petstore/client')),
      'µs a call': Number(cost(name).toFixed(2)),
      'of bare fetch': ratio(cost(name), cost('bare fetch')),
      'of openapi-fetch': ratio(cost(name), cost('openapi-fetch')),
    })),
  );
  console.table([
    target('gzipped bytes of one call', size('@petstore/client'), 2_700),
    target('cost, of openapi-fetch', cost('@petstore/client') / cost('openapi-fetch'), 1),
  ]);
}

/** Microseconds that each of many calls took, one after the other. */
async function timed(call: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  for (let i = 0; i < calls; i++) await call();
  return ((performance.now() - started) * 1000) / calls;
}

function target(what: string, measured: number, bound: number) {
  return {
    what,
    measured: Number(measured.toFixed(2)),
    target: `at most ${bound}`,
    met: measured <= bound ? 'yes' : 'NO',
  };
}

function ratio(part: number, whole: number): number {
  return Number((part / whole).toFixed(2));
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
