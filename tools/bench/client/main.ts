/**
 * How large the client is and what a call through it costs, beside its likes: `node tools/bench/client/main.ts [--quick]`.
 * No network: fetch is replaced by one that answers at once, so that what is measured is what a client adds.
 */
import { deepStrictEqual } from 'node:assert';
import { withScratch } from '../fixtures.ts';
import { inRounds, median, rounded } from '../rounds.ts';
import { alone, type Section } from '../section.ts';
import { collection, documents } from '../workload.ts';
import { bundleConsumers, type Consumer } from './consumers.ts';

const ours = '@petstore/client';
const page = documents(2);

/** Measures the client and its likes. */
export async function client(quick: boolean): Promise<Section> {
  const [rounds, calls] = quick ? [15, 500] : [60, 2_000];
  const text = JSON.stringify(page);
  const headers = { 'content-type': 'application/json', 'x-request-id': 'a-request' };
  const { fetch } = globalThis;
  globalThis.fetch = async () => new Response(text, { headers });
  try {
    return await withScratch(async (scratch) => bench(await bundleConsumers(scratch), rounds, calls));
  } finally {
    globalThis.fetch = fetch;
  }
}

async function bench(consumers: readonly Consumer[], rounds: number, calls: number): Promise<Section> {
  for (const { name, call } of consumers)
    deepStrictEqual(await call(), page, `${name} does not list the ${collection}`);
  const timings = await inRounds(consumers, rounds, async ({ call }) => {
    // The garbage of the client before is collected in these calls, and not at the expense of the measured ones.
    await timed(call, calls / 4);
    return timed(call, calls);
  });
  const measured = [...timings].map(([{ name, size }, all]) => ({ name, size, cost: median(all) }));
  const of = (name: string) => {
    const found = measured.find((one) => one.name === name);
    if (!found) throw new Error(`There is no ${name} in the bench.`);
    return found;
  };
  return {
    title: 'The client',
    shownIn: 'packages/client/README.md',
    how: `One call that lists ${collection}: the gzipped size of its minified bundle, and the CPU time of a call if fetch responds at once; medians of ${rounds} rounds of ${calls} calls.`,
    tables: [
      {
        rows: measured.map(({ name, size, cost }) => ({
          client: name,
          'gzipped bytes': size,
          'of ours': rounded(size / of(ours).size),
          'CPU µs a call': rounded(cost),
          'of bare fetch': rounded(cost / of('bare fetch').cost),
          'of openapi-fetch': rounded(cost / of('openapi-fetch').cost),
        })),
      },
    ],
    targets: [
      { what: 'gzipped bytes of one call', measured: of(ours).size, kind: 'at most', bound: 2_700 },
      { what: 'cost, of openapi-fetch', measured: of(ours).cost / of('openapi-fetch').cost, kind: 'at most', bound: 1 },
    ],
  };
}

/** Microseconds of CPU time that each of many calls took, one after the other. */
async function timed(call: () => Promise<unknown>, calls: number): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i++) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

await alone(import.meta, client);
