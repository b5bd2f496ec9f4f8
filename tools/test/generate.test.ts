// The generator on small documents: what it supports becomes the right table, types and requests; everything else is refused.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { generate } from '../generate/main.ts';
import { refusalsOf } from '../generate/refusals.ts';
import { keywords as handled } from '../generate/rules.ts';
import { root } from '../repository.ts';
import { refused, supported } from './generate-cases.ts';
import { copyOfRepository } from './repository-copy.ts';

/** A whole document from the parts that a case shows. */
const documentOf = (part: string) => `openapi: 3.1.0
info: { title: Test, version: 1.0.0 }
servers: [{ url: https://api.example.com/v1, x-deployment: production }]
security: [{ bearer: [] }]
${part.includes('components:') ? part : `${part}\ncomponents:`}
  securitySchemes: { bearer: { type: http, scheme: bearer } }
`;

const folder = newFolder('generated', afterAll);

test.each(supported)('$name: the table and the requests are right', async ({ name, document, table = {}, wire }) => {
  const text = documentOf(document);
  expect(await refusalsOf(text, '/spec.yaml')).toEqual([]);
  const files = await generate(text);
  const own = join(folder, name.replaceAll(/\W+/g, '-'));
  mkdirSync(join(own, 'gen'), { recursive: true });
  for (const [file, code] of files) writeFileSync(join(own, 'gen', file.split('/').at(-1) ?? ''), code);
  const { operations } = await import(join(own, 'gen/operations.gen.ts'));
  expect(operations.op).toMatchObject(table);
  const calls = await import(join(own, 'gen/calls.gen.ts'));
  if (wire) expect(calls.wires.op).toEqual(wire);
});

test('the types of all cases hold', () => {
  for (const { name, types = '' } of supported) {
    const own = join(folder, name.replaceAll(/\W+/g, '-'));
    cpSync(join(root, 'packages/types/src/api.ts'), join(own, 'api.ts'));
    writeFileSync(
      join(own, 'check.ts'),
      `import type { Arguments, Input, Result } from './api.ts';
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export const check = <Is extends true>(is?: Is) => is;
export type Used = [Arguments<'op'>, Input<'op'>, Result<'op'>, Equal<1, 1>];
${types}\n`,
    );
  }
  const options = { noEmit: true, strict: true, module: 'nodenext', target: 'es2024', types: [], skipLibCheck: false };
  const compilerOptions = { ...options, exactOptionalPropertyTypes: true, allowImportingTsExtensions: true };
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*/check.ts', '*/gen/[ot]*.ts'] }),
  );
  const compiler = join(root, 'tools/node_modules/@typescript/native/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], { encoding: 'utf8' });
  expect(stdout).toBe('');
});

test.each(refused)('$name is refused', async ({ document, refusals }) => {
  const text = document.startsWith('openapi') ? document : documentOf(document);
  const lines = text.split('\n');
  const found = await refusalsOf(text, '/spec.yaml');
  // The text at the place is what the message is about.
  expect(
    found.map(({ line, column, message }) => `${lines[line - 1]?.slice(column - 1).split(/[:,} ]/)[0]}: ${message}`),
  ).toEqual(refusals);
});

test('every keyword of OpenAPI and JSON Schema that the table does not name is refused', async () => {
  const keywords =
    'not if then else dependentRequired dependentSchemas propertyNames patternProperties prefixItems contains minContains maxContains unevaluatedProperties unevaluatedItems $anchor $dynamicRef $comment contentEncoding contentMediaType readOnly writeOnly externalDocs xml discriminator minProperties maxProperties';
  for (const keyword of keywords.split(' ')) {
    expect(handled.Schema?.split(' ')).not.toContain(keyword);
    const text = documentOf(
      `paths: { /a: { get: { operationId: op, responses: { "204": { description: Done. } } } } }\ncomponents:\n  schemas:\n    A:\n      type: object\n      ${keyword}: {}`,
    );
    const [refusal] = await refusalsOf(text, '/spec.yaml');
    expect(refusal?.message, keyword).toMatch(/^\S+ in Schema is not supported; |is not expected here|expected type/i);
  }
});

test('generated folders that were deleted, emptied or left in a conflict come back', () => {
  const copy = copyOfRepository();
  onTestFinished(copy.remove);
  const [types, client] = ['packages/types/src/gen', 'packages/client/src/gen'].map((gen) => join(copy.folder, gen));
  const contents = () =>
    [types, client].map((gen = '') => readdirSync(gen).map((file) => readFileSync(join(gen, file), 'utf8')));
  const before = contents();
  rmSync(client ?? '', { recursive: true });
  writeFileSync(join(types ?? '', 'types.gen.ts'), '<<<<<<< ours\n=======\n>>>>>>> theirs\n');
  writeFileSync(join(types ?? '', 'operations.gen.ts'), '');
  writeFileSync(join(types ?? '', 'left.gen.ts'), '');
  copy.generate();
  expect(contents()).toEqual(before);
});

test('hey-api writes the types of a document as before', async () => {
  const golden = join(import.meta.dirname, 'golden');
  const files = await generate(readFileSync(join(golden, 'document.yaml'), 'utf8'));
  await expect(files.get('packages/types/src/gen/types.gen.ts')).toMatchFileSnapshot(join(golden, 'types.txt'));
});

test.each(['@scalar/galaxy/3.1.json', '@readme/oas-examples/3.1/json/train-travel.json'])(
  'every construct of %s that is not supported is refused in one run, with what to write instead',
  async (name) => {
    const file = createRequire(import.meta.url).resolve(name);
    const refusals = await refusalsOf(readFileSync(file, 'utf8'), file);
    expect(new Set(refusals.map(({ line }) => line)).size).toBeGreaterThan(10);
    for (const { message } of refusals) expect(message).toMatch(/(is not supported; .+\.|\. .+[.?])$/);
  },
);
