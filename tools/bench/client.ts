// Measures the size of the client and the cost of a call, and compares them with openapi-fetch. fetch responds at once,
// without a network, so that only the cost of the client is measured.
import { deepStrictEqual } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { inRounds, median, medianRatio, type Section, type Target, withScratch } from './measure.ts';
import { list, pets } from './workload.ts';

const page = pets().slice(0, 2);

/** Programs that list pets by status, in the shortest way that the documentation of each client shows. */
const programs = {
  '@petstore/client': `
    import { petstore } from '@petstore/client';
    const store = petstore({ baseUrl, apiKey });
    export const call = async () => await store.${list.id}({ status: 'available' });`,
  'openapi-fetch': `
    import createClient from 'openapi-fetch';
    const client = createClient({ baseUrl, headers: { authorization: 'Bearer ' + apiKey } });
    export const call = async () => {
      const { data, error } = await client.GET('${list.path}', { params: { query: { status: 'available' } } });
      if (error) throw error;
      return data;
    };`,
};

const [rounds, calls] = [40, 2_000];

export async function client(): Promise<Section> {
  const { fetch } = globalThis;
  const text = JSON.stringify(page);
  globalThis.fetch = async () => new Response(text, { headers: { 'content-type': 'application/json' } });
  return withScratch(async (scratch) => {
    const sizes: Record<string, number> = {};
    const subjects: Record<string, () => Promise<number>> = {};
    for (const [name, program] of Object.entries(programs)) {
      const outfile = join(scratch, `${Object.keys(sizes).length}.mjs`);
      const contents = `const baseUrl = 'https://petstore.test/v1', apiKey = 'a-key';${program}`;
      const stdin = { contents, resolveDir: import.meta.dirname };
      await build({ stdin, bundle: true, minify: true, format: 'esm', target: 'es2022', outfile });
      sizes[name] = gzipSync(await readFile(outfile), { level: 9 }).length;
      const { call }: { call(): Promise<unknown> } = await import(outfile);
      deepStrictEqual(await call(), page, `${name} does not list the pets`);
      subjects[name] = async () => {
        // The garbage of the previous client is collected in these calls, not in the measured ones.
        for (let i = 0; i < calls / 4; i++) await call();
        const before = process.cpuUsage();
        for (let i = 0; i < calls; i++) await call();
        const { user, system } = process.cpuUsage(before);
        return (user + system) / calls;
      };
    }
    const times = await inRounds(subjects, rounds);
    const [ours, theirs] = Object.values(times);
    const rows = Object.entries(times).map(([name, each]) => ({
      client: name,
      'gzipped bytes': sizes[name] ?? Number.NaN,
      'CPU µs a call': median(each),
    }));
    const targets: Target[] = [
      ['gzipped bytes', rows[0]?.['gzipped bytes'] ?? Number.NaN, '≤', 5_000],
      ['CPU time / openapi-fetch', medianRatio(ours, theirs), '≤', 2],
    ];
    return {
      title: 'The client',
      how: `A call that lists pets: its minified bundle, gzipped, and its CPU time if fetch responds at once; medians of ${rounds} rounds of ${calls} calls.`,
      tables: [rows],
      targets,
    };
  }).finally(() => {
    globalThis.fetch = fetch;
  });
}
