// `npm run generate`: writes what follows from spec/openapi.yaml.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { root, textOf } from '../repository.ts';
import { callsModule, clientTypesModule, operationsModule } from './modules.ts';
import { refusalsOf } from './refusals.ts';
import { node, tableOf } from './table.ts';
import { typesModule } from './types.ts';

const specFile = 'spec/openapi.yaml';

/** The generated files by their paths. Equal texts give equal bytes. `npm start` compares the hash in them with the spec's. */
export async function generate(text: string): Promise<Map<string, string>> {
  // The same parser as the linter's.
  const document = node(parseYaml(text));
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const header = `// Generated from ${specFile} (${hash}) by \`npm run generate\`. Do not edit.\n\n`;
  const table = tableOf(document);
  return new Map([
    ['packages/types/src/gen/types.gen.ts', header + (await typesModule(document))],
    ['packages/types/src/gen/operations.gen.ts', header + operationsModule(table)],
    ['packages/client/src/gen/calls.gen.ts', header + callsModule(table)],
    ['packages/client/src/gen/types.gen.ts', header + clientTypesModule(table)],
  ]);
}

/** The files in the folders of the generated ones that are not generated. */
export function besides(generated: ReadonlyMap<string, string>): string[] {
  const folders = [...new Set([...generated.keys()].map(dirname))].filter((folder) =>
    existsSync(join(root, folder)),
  );
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  );
  return files.filter((file) => !generated.has(file));
}

if (import.meta.main) {
  const text = textOf(specFile);
  const refusals = await refusalsOf(text, join(root, specFile));
  for (const { line, column, message } of refusals)
    console.error(`${specFile}:${line}:${column}: ${message}`);
  if (refusals.length > 0) process.exit(1);

  const files = await generate(text);
  for (const file of besides(files)) rmSync(join(root, file));
  for (const [file, code] of files) {
    const path = join(root, file);
    if (existsSync(path) && readFileSync(path, 'utf8') === code) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
    console.log(`wrote ${file}`);
  }
}
