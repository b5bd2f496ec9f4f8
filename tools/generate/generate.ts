import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import { callsPlugin } from './calls.ts';
import { documentModule } from './document.ts';
import { operationsPlugin } from './operations.ts';

const header = '// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.';
const spec = fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml'));

/** The folders that hold generated code and nothing else, relative to the root of the repository. */
export const generated = ['packages/types/src/gen', 'packages/client/src/gen'] as const;

/** Generates everything into a scratch folder, laid out like the repository, and lends it out. The same spec gives the same bytes everywhere. */
export async function withGenerated<T>(use: (scratch: string) => Promise<T>): Promise<T> {
  const scratch = await mkdtemp(join(tmpdir(), 'petstore-'));
  try {
    await generateInto(scratch);
    return await use(scratch);
  } finally {
    await rm(scratch, { recursive: true });
  }
}

async function generateInto(root: string): Promise<void> {
  const [types, client] = generated;
  const job = (path: string) => ({
    input: spec,
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
  await writeFile(join(root, types, 'document.gen.ts'), documentModule(header, await readFile(spec, 'utf8')));
}
