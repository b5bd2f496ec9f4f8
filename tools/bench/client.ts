// Compares the client with openapi-fetch: the CPU time of a call, and the bytes in a bundle.
import { deepStrictEqual } from 'node:assert';
import { gzipSync } from 'node:zlib';
import { petstore } from '@petstore/client';
import { operations } from '@petstore/types';
import { build } from 'esbuild';
import createClient from 'openapi-fetch';
import { compare, type Effort, type Section } from './measure.ts';
import { apiKey, firstPets } from './workload.ts';

const baseUrl = 'https://petstore.test/v1';
const query = { status: 'available' } as const;
const page = firstPets().slice(0, 2);

/** The types by which openapi-fetch checks a call of the operation. */
interface Paths {
  '/pets': {
    get: {
      parameters: { query: typeof query };
      responses: { 200: { content: { 'application/json': unknown } } };
    };
  };
}

const text = JSON.stringify(page);
const fetch = async () => new Response(text, { headers: { 'content-type': 'application/json' } });
const ours = petstore({ baseUrl, apiKey, fetch });
const theirs = createClient<Paths>({ baseUrl, fetch });
const headers = { authorization: `Bearer ${apiKey}` };

/** A call may cost this multiple of the CPU of one of openapi-fetch. */
export const MOST_CPU = 1.1;

export async function client(effort: Effort): Promise<Section> {
  const calls = {
    'openapi-fetch': { measure: () => measureTheirCpu(effort) },
    '@petstore/client': { measure: () => measureOurCpu(effort), atMost: MOST_CPU },
  };
  const sizes = {
    'openapi-fetch': { measure: () => measureBundle("export { default } from 'openapi-fetch'") },
    '@petstore/client': {
      measure: () => measureBundle("export { petstore } from '@petstore/client'"),
    },
  };
  const table = [
    ...(await compare('CPU µs of a call', calls, effort)),
    ...(await compare('bytes in a bundle', sizes, effort)),
  ];
  return { table };
}

/** Measures the microseconds of CPU of a call of openapi-fetch. */
export function measureTheirCpu({ requests }: Effort): Promise<number> {
  const list = async () => {
    const { data } = await theirs.GET(operations.listPets.path, { headers, params: { query } });
    return data;
  };
  return measureCallCpu(list, requests);
}

/** Measures the microseconds of CPU of a call of ours. */
export function measureOurCpu({ requests }: Effort): Promise<number> {
  return measureCallCpu(async () => await ours.listPets(query), requests);
}

/** Measures the microseconds of CPU of a call that lists the page. */
async function measureCallCpu(list: () => Promise<unknown>, count: number): Promise<number> {
  deepStrictEqual(await list(), page);
  const before = process.cpuUsage();
  for (let calls = 0; calls < count; calls++) await list();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

/** Bundles a module, and returns its bytes after minifying and gzip. */
async function measureBundle(contents: string): Promise<number> {
  const stdin = { contents, resolveDir: import.meta.dirname };
  const options = { bundle: true, minify: true, format: 'esm', write: false } as const;
  const { outputFiles } = await build({ ...options, stdin });
  return gzipSync(outputFiles[0]?.contents ?? '').length;
}
