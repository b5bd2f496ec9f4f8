// `npm run generate`: writes what follows from spec/openapi.yaml. `--check` writes nothing, and fails if a file differs.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '@redocly/openapi-core';
import { callsModule, operationsModule } from './modules.ts';
import { refusalsOf } from './refusals.ts';
import { node, tableOf } from './table.ts';
import { typesModule } from './types.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const specFile = 'spec/openapi.yaml';
/** The first lines of a generated file. `npm start` compares the hash with the spec's. */
const headerOf = (text: string) => {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `// Generated from spec/openapi.yaml (${hash}) by \`npm run generate\`. Do not edit.\n\n`;
};

/** The folders that hold nothing but generated files. */
const folders = ['packages/types/src/gen', 'packages/client/src/gen'];

/** The generated files by their paths. Equal texts give equal bytes. */
export async function generate(text: string): Promise<Map<string, string>> {
  // The same parser as the linter's.
  const document = node(parseYaml(text));
  const header = headerOf(text);
  const table = tableOf(document);
  return new Map([
    ['packages/types/src/gen/types.gen.ts', header + (await typesModule(document))],
    ['packages/types/src/gen/operations.gen.ts', header + operationsModule(table)],
    ['packages/client/src/gen/calls.gen.ts', header + callsModule(table)],
  ]);
}

async function main(isCheck: boolean): Promise<void> {
  const text = await readFile(join(root, specFile), 'utf8');
  const refusals = await refusalsOf(text, join(root, specFile));
  for (const { line, column, message } of refusals) console.error(`${specFile}:${line}:${column}: ${message}`);
  if (refusals.length > 0) process.exit(1);

  const expected = await generate(text);
  const present = await Promise.all(folders.map((folder) => filesIn(folder)));
  for (const file of new Set([...expected.keys(), ...present.flat()])) {
    const code = expected.get(file);
    if (code === (await textOf(file))) continue;
    console.log(isCheck ? `${file} is not what ${specFile} generates; run npm run generate` : `wrote ${file}`);
    if (isCheck) process.exitCode = 1;
    else if (code === undefined) await rm(join(root, file));
    else {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), code);
    }
  }
}

async function filesIn(folder: string): Promise<string[]> {
  return (await readdir(join(root, folder)).catch(ifMissing([]))).map((file) => `${folder}/${file}`);
}

const textOf = (file: string) => readFile(join(root, file), 'utf8').catch(ifMissing(undefined));

function ifMissing<T>(value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code !== 'ENOENT') throw error;
    return value;
  };
}

if (import.meta.main) await main(process.argv.includes('--check'));
