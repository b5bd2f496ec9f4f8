// Measures the client beside openapi-fetch: the CPU time of a call, and what it adds to a bundle.
import { deepStrictEqual } from 'node:assert';
import { gzipSync } from 'node:zlib';
import { petstore } from '@petstore/client';
import { operations } from '@petstore/types';
import { build } from 'esbuild';
import createClient from 'openapi-fetch';
import { atMost, type Effort, inRotation, median, medianRatio, type Section } from './measure.ts';
import { apiKey, firstPets } from './pets.ts';

const baseUrl = 'https://petstore.test/v1';
const query = { status: 'available' } as const;

/** What openapi-fetch has to know of the operation. */
interface Paths {
  '/pets': {
    get: {
      parameters: { query: typeof query };
      responses: { 200: { content: { 'application/json': unknown } } };
    };
  };
}

export async function client({ rounds, requests }: Effort): Promise<Section> {
  const page = firstPets().slice(0, 2);
  const text = JSON.stringify(page);
  const fetch = async () => new Response(text, { headers: { 'content-type': 'application/json' } });
  const ours = petstore({ baseUrl, apiKey, fetch });
  const theirs = createClient<Paths>({ baseUrl, fetch });
  const headers = { authorization: `Bearer ${apiKey}` };
  const listByOpenapiFetch = async () => {
    const { data } = await theirs.GET(operations.listPets.path, { headers, params: { query } });
    return data;
  };
  const listByOurs = async () => await ours.listPets(query);
  deepStrictEqual(await listByOurs(), page);
  deepStrictEqual(await listByOpenapiFetch(), page);
  const subjects = {
    '@petstore/client': () => cpuOfCalls(listByOurs, requests),
    'openapi-fetch': () => cpuOfCalls(listByOpenapiFetch, requests),
  };
  const times = await inRotation('client', subjects, rounds);
  const sizes = {
    '@petstore/client': await bundleSize("export { petstore } from '@petstore/client';"),
    'openapi-fetch': await bundleSize("export { default } from 'openapi-fetch';"),
  };
  const ratio = medianRatio(times['@petstore/client'], times['openapi-fetch']);
  const row = (name: keyof typeof sizes) => ({
    client: name,
    'CPU µs of a call': median(times[name]),
    'bytes in a bundle': sizes[name],
  });
  return {
    title: 'The client',
    comparisons: [
      'openapi-fetch is the smallest client that is widely used for OpenAPI. It neither retries, nor has a deadline, nor checks that numbers are exact.',
      `Both list pets through a \`fetch\` that responds at once, so that only the cost of the client is measured: medians of ${rounds} rounds of ${requests.toLocaleString('en-US')} calls.`,
      'The size is that of everything that the package exports as its entry, minified by esbuild and gzipped.',
    ],
    tables: [[row('@petstore/client'), row('openapi-fetch')]],
    targets: [
      atMost('CPU of a call / openapi-fetch', ratio, 2),
      atMost('bytes in a bundle', sizes['@petstore/client'], 6000),
    ],
  };
}

/** The CPU time of a call in microseconds. */
async function cpuOfCalls(call: () => Promise<unknown>, count: number): Promise<number> {
  const before = process.cpuUsage();
  for (let calls = 0; calls < count; calls++) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

async function bundleSize(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? '').length;
}
