import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { parse } from 'yaml';
import { callsPlugin } from './calls.ts';
import { documentModule } from './document.ts';
import { operationsPlugin } from './operations.ts';

const header = '// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.';
const [types, client] = ['packages/types/src/gen', 'packages/client/src/gen'] as const;

/** The folders that hold generated code and nothing else, relative to the root of the repository. */
export const generatedFolders: readonly string[] = [types, client];

/** The generated files by their paths. The same spec gives the same bytes everywhere. */
export async function generate(spec: string): Promise<Map<string, string>> {
  // The generator can only write files.
  const scratch = await mkdtemp(join(tmpdir(), 'petstore-'));
  try {
    await generateInto(scratch, spec);
    const files = await Promise.all(generatedFolders.map((folder) => readdir(join(scratch, folder))));
    const paths = generatedFolders.flatMap((folder, i) => files[i]?.map((file) => `${folder}/${file}`) ?? []);
    const texts = paths.map(async (path) => [path, await readFile(join(scratch, path), 'utf8')] as const);
    return new Map([...(await Promise.all(texts)), [`${types}/document.gen.ts`, documentModule(header, parse(spec))]]);
  } finally {
    await rm(scratch, { recursive: true });
  }
}

async function generateInto(root: string, spec: string): Promise<void> {
  const job = (path: string) => ({
    input: parse(spec),
    logs: { level: 'silent' as const, file: false },
    output: {
      path: join(root, path),
      entryFile: false,
      header: [header],
      module: { extension: '.ts' as const },
      postProcess: [],
    },
  });
  // A type named Error would shadow JavaScript's own wherever it is imported.
  const definitions = { name: (name: string) => (name === 'Error' ? 'ApiError' : name) };
  await createClient([
    { ...job(types), plugins: [{ name: '@hey-api/typescript', definitions }, operationsPlugin()] },
    { ...job(client), plugins: [callsPlugin()] },
  ]);
}
