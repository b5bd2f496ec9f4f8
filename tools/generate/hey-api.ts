// hey-api writes the generated files: its own plugin the types, and two plugins of ours the table
// of operations and the calls.
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createClient, definePluginConfig } from '@hey-api/openapi-ts';
import { callsPlugin } from './calls-plugin.ts';
import { type Node, schemasOf } from './document.ts';
import { operationType, typeName } from './names.ts';
import { operationsPlugin } from './operations-plugin.ts';
import { tableOf } from './table.ts';
import { isWide, typesDocument } from './types-document.ts';

const typesFile = 'packages/types/src/gen/types';

/** The text of each generated file, by its path from the root of the repository. */
export async function renderFiles(document: Node, header: string): Promise<Map<string, string>> {
  const table = tableOf(document);
  // hey-api resolves imports below this folder, which does not exist: a dry run writes nothing.
  const path = join(tmpdir(), randomUUID());
  const files = new Map<string, string>();
  const [context] = await createClient({
    input: typesDocument(document),
    dryRun: true,
    logs: { level: 'silent', file: false },
    output: {
      path,
      // Otherwise hey-api deletes the folder, even in a dry run.
      clean: false,
      case: 'preserve',
      entryFile: false,
      header,
      module: { extension: '.ts' },
      postProcess: [],
    },
    plugins: [
      {
        name: '@hey-api/typescript',
        // The type `ClientOptions` goes to a file of its own, which is left out.
        $hooks: {
          symbols: {
            getFilePath: ({ meta }) => (meta?.resource === 'client' ? 'unused' : typesFile),
          },
        },
        definitions: { name: typeName },
        requests: { name: named('Data') },
        responses: { name: named('Responses'), response: named('Response') },
        errors: { name: named('Errors'), error: named('Error') },
        $resolvers: {
          number: ({ $, schema }) => (isWide(schema) ? $.type('number | bigint') : undefined),
        },
      },
      operationsPlugin(table),
      callsPlugin(table),
      // The last plugin renders. hey-api itself renders after it, and a second rendering writes
      // `import` in place of `import type`.
      definePluginConfig({
        name: 'petstore-render',
        config: {},
        handler: ({ plugin }) => {
          for (const file of plugin.gen.render())
            files.set(relative(path, file.path).replaceAll('\\', '/'), file.content);
        },
      })(),
    ],
  });
  // hey-api throws for any other problem.
  if (!context) throw new Error('hey-api cannot read the document');
  files.delete('unused.gen.ts');
  files.set('packages/client/src/gen/types.gen.ts', `${header}\n\n${schemaTypes(document)}`);
  return files;
}

/** Exports the types of schemas by name, so that no editor offers the values of the types package. */
function schemaTypes(document: Node): string {
  const names = Object.keys(schemasOf(document)).map(typeName).sort();
  return `export type { ${names.join(', ')} } from '@petstore/types';\n`;
}

/** Names the types of a part of operations: `ListPetsData` is the part `Data` of `listPets`. */
function named(part: string) {
  return (id: string) => operationType(id, part);
}
