// `npm run generate` writes the code that follows from spec/openapi.yaml. hey-api writes the types
// by its own plugin, and the table of operations and the calls by two plugins of ours.
import {
  existsSync,
  mkdirSync,
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { parseYaml } from '@redocly/openapi-core';
import { clientTypesFile, hashOf, heyApiFiles } from '../generated.mjs';
import { root, textOf } from '../repository.ts';
import { callsPlugin } from './calls-plugin.ts';
import { type Node, recordOf, schemasOf } from './document.ts';
import { operationType, typeName } from './names.ts';
import { operationsPlugin } from './operations-plugin.ts';
import { findRefusals } from './refusals.ts';
import { tableOf } from './table.ts';
import { isWide, typesDocument } from './types-document.ts';

const specFile = 'spec/openapi.yaml';
const typesFile = 'packages/types/src/gen/types';

/** The text of each generated file, by its path. Equal texts of the spec give equal bytes. */
export async function generate(text: string): Promise<Map<string, string>> {
  const header = `// Generated from ${specFile} (${hashOf(text)}) by \`npm run generate\`. Do not edit.`;
  // The linter has the same parser, so that both read the same document.
  const document = recordOf(parseYaml(text));
  using folder = mkdtempDisposableSync(join(tmpdir(), 'petstore-generate-'));
  await runHeyApi(folder.path, document, header);
  const files = new Map<string, string>();
  for (const file of heyApiFiles) files.set(file, readFileSync(join(folder.path, file), 'utf8'));
  files.set(clientTypesFile, `${header}\n\n${schemaTypes(document)}`);
  return files;
}

/** The files in the folders of generated code that are not generated. */
export function notGenerated(generated: ReadonlyMap<string, string>): string[] {
  const folders = new Set([...generated.keys()].map((file) => dirname(file)));
  const files: string[] = [];
  for (const folder of folders) {
    if (!existsSync(join(root, folder))) continue;
    files.push(...readdirSync(join(root, folder)).map((name) => `${folder}/${name}`));
  }
  return files.filter((file) => !generated.has(file));
}

async function main(): Promise<void> {
  const text = textOf(specFile);
  const refusals = await findRefusals(text, join(root, specFile));
  for (const { line, column, message } of refusals)
    console.error(`${specFile}:${line}:${column}: ${message}`);
  if (refusals.length > 0) {
    process.exitCode = 1;
    return;
  }
  const files = await generate(text);
  for (const file of notGenerated(files)) rmSync(join(root, file));
  for (const [file, code] of files) write(file, code);
}

/** Writes a file unless it has this text already, so that watchers see only changes. */
function write(file: string, text: string): void {
  const path = join(root, file);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  console.log(`wrote ${file}`);
}

/** Lets hey-api write its files into an empty folder. */
async function runHeyApi(path: string, document: Node, header: string): Promise<void> {
  const table = tableOf(document);
  await createClient({
    input: typesDocument(document),
    logs: { level: 'silent', file: false },
    output: {
      path,
      case: 'preserve',
      entryFile: false,
      header,
      module: { extension: '.ts' },
      postProcess: [],
    },
    plugins: [
      {
        name: '@hey-api/typescript',
        // hey-api also makes the type `ClientOptions`. It goes to a file that nobody reads.
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
    ],
  });
}

/**
 * Exports the types of schemas by name, so that no editor offers the values of the types package.
 */
function schemaTypes(document: Node): string {
  const names = Object.keys(schemasOf(document)).map(typeName).sort();
  return `export type { ${names.join(', ')} } from '@petstore/types';\n`;
}

/** Names the types of a part of operations: `ListPetsData` is the part `Data` of `listPets`. */
function named(part: string) {
  return (id: string) => operationType(id, part);
}

if (import.meta.main) await main();
