import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { createClient } from '@hey-api/openapi-ts';
import { build } from 'esbuild';

/** Somebody's program that does one thing: it lists the pets that are available. */
export interface Consumer {
  readonly name: string;
  /** Bytes of its minified bundle, gzipped. */
  readonly size: number;
  /** The very bundle that was measured, at work. */
  call(): Promise<unknown>;
}

/** Every bundle speaks to this address, with this key. */
const given = `const baseUrl = 'https://petstore.test/v1', apiKey = 'a-key';`;

/** The shortest way that the documentation of each shows. */
const programs = {
  'bare fetch': `
    const headers = { accept: 'application/json', authorization: 'Bearer ' + apiKey };
    export const call = async () => (await fetch(baseUrl + '/pets?status=available', { headers })).json();`,
  '@petstore/client': `
    import { connect, listPets } from '@petstore/client';
    const connection = connect({ baseUrl, apiKey });
    export const call = () => listPets(connection, { status: 'available' });`,
  'openapi-fetch': `
    import createClient from 'openapi-fetch';
    const client = createClient({ baseUrl, headers: { authorization: 'Bearer ' + apiKey } });
    export const call = async () => {
      const { data, error } = await client.GET('/pets', { params: { query: { status: 'available' } } });
      if (error) throw error;
      return data;
    };`,
  'hey-api, stock': `
    import { createClient, createConfig } from 'stock/client';
    import { listPets } from 'stock/sdk.gen';
    const client = createClient(createConfig({ baseUrl, auth: apiKey, throwOnError: true }));
    export const call = async () => (await listPets({ client, query: { status: 'available' } })).data;`,
  ky: `
    import ky from 'ky';
    const api = ky.create({ prefix: baseUrl, headers: { authorization: 'Bearer ' + apiKey } });
    export const call = () => api('pets', { searchParams: { status: 'available' } }).json();`,
  '@octokit/request': `
    import { request } from '@octokit/request';
    const api = request.defaults({ baseUrl, headers: { authorization: 'Bearer ' + apiKey } });
    export const call = async () => (await api('GET /pets', { status: 'available' })).data;`,
};

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
  const consumers = Object.entries(programs).map(async ([name, program], i): Promise<Consumer> => {
    const outfile = join(bundles, `${i}.js`);
    await build({
      stdin: { contents: given + program, resolveDir: import.meta.dirname },
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
