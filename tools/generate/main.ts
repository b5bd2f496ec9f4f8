// `npm run generate`: writes what follows from spec/openapi.yaml.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { root, textOf } from '../repository.ts';
import { recordOf } from './document.ts';
import { renderFiles } from './hey-api.ts';
import { refusalsOf } from './refusals.ts';

const specFile = 'spec/openapi.yaml';

/**
 * The generated files by their paths. Equal texts give equal bytes. `npm start` compares the hash
 * in them with the spec's.
 */
export function generate(text: string): Promise<Map<string, string>> {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const header = `// Generated from ${specFile} (${hash}) by \`npm run generate\`. Do not edit.`;
  // The same parser as the linter's.
  return renderFiles(recordOf(parseYaml(text)), header);
}

/** The files in the folders of the generated ones that are not generated. */
export function besides(generated: ReadonlyMap<string, string>): string[] {
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
  const refusals = await refusalsOf(text, join(root, specFile));
  for (const { line, column, message } of refusals)
    console.error(`${specFile}:${line}:${column}: ${message}`);
  if (refusals.length > 0) {
    process.exitCode = 1;
    return;
  }
  const files = await generate(text);
  for (const file of besides(files)) rmSync(join(root, file));
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

if (import.meta.main) await main();
