import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { createClient } from '@hey-api/openapi-ts';
import { build } from 'esbuild';
import { filter, list } from '../workload.ts';

/** Somebody's program that does one thing: it lists documents by a filter. */
export interface Consumer {
  readonly name: string;
  /** Bytes of its minified bundle, gzipped. */
  readonly size: number;
  /** The very bundle that was measured, at work. */
  call(): Promise<unknown>;
}

/** Every bundle speaks to this address, with this key. */
const given = `const baseUrl = 'https://petstore.test/v1', apiKey = 'a-key';`;

const { property, value } = filter;
const query = `{ ${property}: '${value}' }`;

/** The shortest way that the documentation of each shows. */
const programs = {
  'bare fetch': `
    const headers = { accept: 'application/json', authorization: 'Bearer ' + apiKey };
    export const call = async () => (await fetch(baseUrl + '${list.path}?${property}=${value}', { headers })).json();`,
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
  'hey-api, stock': `
    import { createClient, createConfig } from 'stock/client';
    import { ${list.id} } from 'stock/sdk.gen';
    const client = createClient(createConfig({ baseUrl, auth: apiKey, throwOnError: true }));
    export const call = async () => (await ${list.id}({ client, query: ${query} })).data;`,
  ky: `
    import ky from 'ky';
    const api = ky.create({ prefix: baseUrl, headers: { authorization: 'Bearer ' + apiKey } });
    export const call = () => api('${list.path.slice(1)}', { searchParams: ${query} }).json();`,
  '@octokit/request': `
    import { request } from '@octokit/request';
    const api = request.defaults({ baseUrl, headers: { authorization: 'Bearer ' + apiKey } });
    export const call = async () => (await api('GET ${list.path}', ${query})).data;`,
  'openai-node': `
    import OpenAI from 'openai';
    const client = new OpenAI({ baseURL: baseUrl, apiKey });
    export const call = () => client.get('${list.path}', { query: ${query} });`,
  'stripe-node': `
    import Stripe from 'stripe';
    const host = new URL(baseUrl);
    const client = new Stripe(apiKey, { host: host.host, httpClient: Stripe.createFetchHttpClient(), telemetry: false });
    export const call = () => client.rawRequest('GET', host.pathname + '${list.path}?' + new URLSearchParams(${query}));`,
};

/** The clients of other services, made to call this one. They are large, and only the bench needs them, so they are not dependencies. */
const INSTALLED = { 'openai-node': 'openai@7.57.0', 'stripe-node': 'stripe@23.1.0' };

/** Bundles all of them into a folder. */
export async function bundleConsumers(folder: string): Promise<Consumer[]> {
  const stock = join(folder, 'stock');
  await createClient({
    input: fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml')),
    logs: { level: 'silent', file: false },
    output: { path: stock, postProcess: [] },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  });
  const bundles = join(folder, 'bundles');
  await mkdir(bundles);
  await writeFile(join(bundles, 'package.json'), '{"type":"module"}');
  const installed = join(folder, 'installed');
  await mkdir(installed);
  await writeFile(join(installed, 'package.json'), '{"private":true}');
  const npm = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
  await promisify(execFile)('npm', [...npm, ...Object.values(INSTALLED)], { cwd: installed });
  const consumers = Object.entries(programs).map(async ([name, program], i): Promise<Consumer> => {
    const outfile = join(bundles, `${i}.js`);
    await build({
      stdin: { contents: given + program, resolveDir: name in INSTALLED ? installed : import.meta.dirname },
      alias: { stock },
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      outfile,
    });
    const { call }: { call: () => Promise<unknown> } = await import(pathToFileURL(outfile).href);
    return { name, size: gzipSync(await readFile(outfile), { level: 9 }).length, call };
  });
  return Promise.all(consumers);
}
