import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import { isWide, type Schema } from '@petstore/types';
import { callsModule, pagesModule, schemesModule } from './calls.ts';
import { documentModule, operationsModule, serviceModule } from './data-modules.ts';
import { SpecError } from './document.ts';
import { loadSpec } from './load.ts';
import { type Model, modelOf } from './model.ts';
import { typeName, typesDocument, typesPlugin } from './types.ts';

export const header = '// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.';
const [types, client] = ['packages/types/src/gen', 'packages/client/src/gen'] as const;

/** The folders of packages that contain only generated code, relative to the root of the repository. */
export const packageFolders: readonly string[] = [types, client];

/**
 * The model of a spec. References to files are relative to `path`. Throws a `SpecError` that lists all
 * unsupported constructs.
 */
export function readModel(
  spec: string,
  path = fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml')),
): Model {
  return modelOf(loadSpec(spec, path));
}

/** The generated files of the packages by their paths. The same spec gives the same bytes everywhere. */
export async function generatePackages(model: Model): Promise<Map<string, string>> {
  const modules = [
    [`${types}/operations.gen.ts`, operationsModule(model)],
    [`${types}/service.gen.ts`, serviceModule(model)],
    [`${client}/calls.gen.ts`, callsModule(model)],
    [`${client}/pages.gen.ts`, pagesModule(model)],
    [`${client}/schemes.gen.ts`, schemesModule(model)],
    [`${types}/document.gen.ts`, documentModule(model)],
  ] as const;
  return new Map([
    // hey-api does not write this module for a spec without schemas.
    [`${types}/types.gen.ts`, `${header}\n\nexport {};\n`],
    ...(await typesModules(model)),
    ...modules.map(([file, code]) => [file, `${header}\n\n${code}`] as const),
  ]);
}

/** The modules that hey-api generates. It can only write files, so the modules are read from a temporary folder. */
async function typesModules(model: Model): Promise<(readonly [file: string, text: string])[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'petstore-'));
  try {
    await createClient({
      // hey-api modifies its input, so it gets a copy.
      input: structuredClone(typesDocument(model)) as Record<string, unknown>,
      logs: { level: 'silent', file: false },
      output: { path: scratch, entryFile: false, header: [header], module: { extension: '.ts' }, postProcess: [] },
      plugins: [
        {
          name: '@hey-api/typescript',
          // hey-api's `ClientOptions` go to an unused file, because a schema may have the same name.
          $hooks: { symbols: { getFilePath: ({ meta }) => (meta?.resource === 'client' ? 'unused' : undefined) } },
          definitions: { name: (component) => typeName(component, model) },
          $resolvers: { number: ({ $, schema }) => (isWide(schema as Schema) ? $.type('number | bigint') : undefined) },
        },
        typesPlugin(model),
      ],
    }).catch(rejectTypes);
    const files = await readdir(scratch);
    return await Promise.all(
      files
        .filter((file) => file !== 'unused.gen.ts')
        .map(async (file) => [`${types}/${file}`, await readFile(join(scratch, file), 'utf8')] as const),
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Throws a SpecError with the reason, which is in a property of hey-api's error. */
function rejectTypes(error: Error & { originalError?: { error?: Error } }): never {
  const { message } = error.originalError?.error ?? error;
  const [reason = ''] = message.split('\n');
  throw new SpecError([
    `types cannot be generated: hey-api reports '${reason}'; simplify the construct that the message names.`,
  ]);
}
