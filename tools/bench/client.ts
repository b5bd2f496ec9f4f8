// Measures the size of the client and the cost of a call, and compares them with openapi-fetch. fetch responds at once,
// without a network, so that only the cost of the client is measured.
import { deepStrictEqual } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { inRounds, median, rounded, withScratch } from './measure.ts';
import { atMost, type Section } from './section.ts';
import { collection, documents, filter, list } from './workload.ts';

const page = documents(2);
const query = `{ ${filter.property}: '${filter.value}' }`;

/** Programs that list documents by a filter, in the shortest way that the documentation of each client shows. */
const programs = {
  '@petstore/client': `
    import { connect, ${list.id} } from '@petstore/client';
    const connection = connect({ baseUrl, apiKey });
    export const call = () => ${list.id}(connection, ${query});`,
  'openapi-fetch': `
    import createClient from 'openapi-fetch';
    const client = createClient({ baseUrl, headers: { authorization: 'Bearer ' + apiKey } });
    export const call = async () => {
      const { data, error } = await client.GET('${list.path}', { params: { query: ${query} } });
      if (error) throw error;
      return data;
    };`,
};

/** Measures both clients. */
export async function client(quick: boolean): Promise<Section> {
  const [rounds, calls] = quick ? [15, 500] : [60, 2_000];
  const text = JSON.stringify(page);
  const headers = { 'content-type': 'application/json', 'x-request-id': 'a-request' };
  const { fetch } = globalThis;
  globalThis.fetch = async () => new Response(text, { headers });
  try {
    return await withScratch(async (scratch) => {
      const bundles = await Promise.all(
        Object.entries(programs).map(([name, program], i) => bundle(name, program, join(scratch, `${i}.mjs`))),
      );
      for (const { name, call } of bundles)
        deepStrictEqual(await call(), page, `${name} does not list the ${collection}`);
      const timings = await inRounds(bundles, rounds, async ({ call }) => {
        // The garbage of the previous client is collected in these calls, not in the measured ones.
        await timed(call, calls / 4);
        return timed(call, calls);
      });
      const rows = [...timings].map(([{ name, size }, times]) => ({
        client: name,
        'gzipped bytes': size,
        'CPU µs a call': rounded(median(times)),
      }));
      const [ours, theirs] = [...timings.values()];
      return {
        title: 'The client',
        how: `A call that lists ${collection}: its minified bundle, gzipped, and its CPU time if fetch responds at once; medians of ${rounds} rounds of ${calls} calls.`,
        tables: [{ rows }],
        targets: [
          atMost('gzipped bytes of one call', rows[0]?.['gzipped bytes'] ?? Number.NaN, 2_700),
          atMost('CPU time / openapi-fetch', median(ours ?? []) / median(theirs ?? []), 1),
        ],
      };
    });
  } finally {
    globalThis.fetch = fetch;
  }
}

/** Bundles and loads a program. `size` is that of its minified and gzipped bundle, in bytes. */
async function bundle(name: string, program: string, outfile: string) {
  const contents = `const baseUrl = 'https://petstore.test/v1', apiKey = 'a-key';${program}`;
  const stdin = { contents, resolveDir: import.meta.dirname };
  await build({ stdin, bundle: true, minify: true, format: 'esm', target: 'es2022', outfile });
  const { call }: { call(): Promise<unknown> } = await import(pathToFileURL(outfile).href);
  return { name, size: gzipSync(await readFile(outfile), { level: 9 }).length, call };
}

/** The mean CPU time of a call in microseconds. The calls run one after the other. */
async function timed(call: () => Promise<unknown>, calls: number): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i++) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}
