import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Operation as Row } from '@petstore/types';
import { parse } from 'yaml';
import { SpecError } from '../../generate/document.ts';
import { generatePackages, readModel } from '../../generate/generate.ts';

/** What the generator makes of a document: its sources, or the messages of its errors. */
export interface Generated {
  files: Map<string, string>;
  /** One message for each rejected construct; the operations that it names are left out. */
  rejected: readonly string[];
}

/** The client that was generated, and its table. */
export interface GeneratedClient {
  operations: readonly Row[];
  /** Its default address. */
  address: string;
  call(row: Row, input: object, options: object): Promise<unknown>;
}

/** Generates from a document. A rejected operation is left out, and the others are generated. */
export async function generateWhatFits(file: string): Promise<Generated> {
  let text = readFileSync(file, 'utf8');
  const rejected: string[] = [];
  while (true) {
    try {
      return { files: await generatePackages(readModel(text, file)), rejected };
    } catch (error) {
      if (!(error instanceof SpecError)) throw error;
      rejected.push(...error.messages);
      const fewer = withoutOperations(text, error.messages);
      if (fewer === undefined) return { files: new Map(), rejected };
      text = fewer;
    }
  }
}

/** The document without the operations that the messages name; undefined if a message names no operation. */
function withoutOperations(text: string, messages: readonly string[]): string | undefined {
  const document = parse(text);
  for (const message of messages) {
    const [, path = '', method = ''] =
      /^paths\.(.*?)\.(get|put|post|delete|patch|head|options|trace)[.:]/.exec(message) ?? [];
    if (method === '') return undefined;
    delete document.paths[path]?.[method];
  }
  return JSON.stringify(document);
}

/** Copies the packages `types` and `client` with this generated code instead of their own, and loads them. */
export async function loadClient(files: ReadonlyMap<string, string>, folder: string): Promise<GeneratedClient> {
  const packages = join(import.meta.dirname, '../../../packages');
  for (const name of ['types', 'client']) {
    const packageFolder = join(folder, 'packages', name);
    cpSync(join(packages, name, 'src'), join(packageFolder, 'src'), { recursive: true });
    // The compiler takes packages of one name and version for the same.
    const manifest = { ...JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8')), version: folder };
    writeFileSync(join(packageFolder, 'package.json'), JSON.stringify(manifest));
    rmSync(join(packageFolder, 'src/gen'), { recursive: true });
  }
  const scope = join(folder, 'packages/client/node_modules/@petstore');
  mkdirSync(scope, { recursive: true });
  symlinkSync(join(folder, 'packages/types'), join(scope, 'types'), 'junction');
  for (const [file, source] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), source);
  }
  const { petstore } = await import(join(folder, 'packages/client/src/index.ts'));
  const { operations, service } = await import(join(folder, 'packages/types/src/index.ts'));
  return {
    operations: Object.values(operations),
    address: Object.values<string>(service.deployments)[0] ?? '',
    call: (row, input, options) => petstore({ retry: 0, on: { deprecated: false }, ...options })[row.id](input),
  };
}

/** What the compiler says of the packages of several clients, all in one run. */
export function typeErrors(folder: string, clients: readonly string[]): string[] {
  const tools = join(import.meta.dirname, '../..');
  const config = {
    extends: join(tools, '../packages/client/tsconfig.json'),
    include: clients.map((name) => join(folder, name, 'packages/*/src')),
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(tools, 'node_modules/@typescript/native/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return status === 0 ? [] : stdout.split('\n');
}
