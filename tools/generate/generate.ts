import { fileURLToPath } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import { callsPlugin } from './calls.ts';
import { operationsPlugin } from './operations.ts';

const spec = fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml'));

/** The folders that hold generated code and nothing else, relative to the root of the repository. */
export const generated = ['packages/types/src/gen', 'packages/client/src/gen'] as const;

/** Writes all generated code below `root`, in place of what was there. The same spec gives the same bytes everywhere. */
export async function generate(root: string): Promise<void> {
  const [types, client] = generated;
  const output = (path: string) => ({
    path: `${root}/${path}`,
    entryFile: false,
    header: ['// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.'],
    module: { extension: '.ts' as const },
    postProcess: [],
  });
  await createClient([
    {
      input: spec,
      logs: { level: 'silent', file: false },
      output: output(types),
      plugins: [
        {
          name: '@hey-api/typescript',
          definitions: { name: (name: string) => (name === 'Error' ? 'ApiError' : name) },
        },
        operationsPlugin(),
      ],
    },
    {
      input: spec,
      logs: { level: 'silent', file: false },
      output: output(client),
      plugins: [callsPlugin()],
    },
  ]);
}
