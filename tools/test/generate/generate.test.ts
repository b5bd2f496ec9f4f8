// What the generator supports becomes the right table, types and requests, whatever was in
// its folders before.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeep, newFolder } from '@petstore/testing';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { generate } from '../../generate/main.ts';
import { findRefusals } from '../../generate/refusals.ts';
import { root } from '../../repository.ts';
import { copyOfRepository } from '../support/copy.ts';
import { documentOf, done, get, item, post, query, returns, schemas, to } from './documents.ts';

/** TypeScript that must compile together with the types, and what `operations.op` contains. */
type Case = readonly [name: string, document: string, types: string, table?: object];

const inputIs = (type: string) => `check<Equal<Input<'op'>, ${type}>>();`;
const resultIs = (type: string) => `check<Equal<Result<'op'>, ${type}>>();`;
const named = '{ type: object, required: [n], properties: { n: { type: string } } }';
const ofBody = (required: boolean) => ({ in: 'body', required });
const idempotencyKey =
  'parameters: [{ name: Key, in: header, x-idempotency-key: true, schema: { type: string } }]';
const id = '{ name: id, in: path, required: true, schema: { type: string } }';
const page = '{ type: array, items: { type: string } }';
const paged = `x-pagination: { cursor: after, key: id, limit: limit }
parameters:
  - { name: limit, in: query, schema: { type: integer } }
  - { name: after, in: query, schema: { type: integer } }
responses: { "200": { description: OK, content: { application/json: { schema: ${page} } } } }`;
const deprecated = `deprecated: true
x-deprecated-since: "2026-01-01"
x-sunset: "2030-12-31"
x-command: things drop
x-stability-level: beta
${done}`;

const cases: readonly Case[] = [
  [
    'a string in a query',
    query('{ type: string }'),
    `${inputIs('{ q?: string }')} ${resultIs('undefined')} check<Equal<Arguments<'op'>, [input?: { q?: string }]>>();`,
    {
      method: 'GET',
      path: '/a',
      command: ['a', 'op'],
      fields: { q: { in: 'query', required: false } },
    },
  ],
  ['a required number', query('{ type: number }', 'required: true, '), inputIs('{ q: number }')],
  ['a boolean', query('{ type: boolean }'), inputIs('{ q?: boolean }')],
  ['an enum', query('{ type: string, enum: [x, y] }'), inputIs("{ q?: 'x' | 'y' }")],
  ['a const', query('{ const: x }'), inputIs("{ q?: 'x' }")],
  ['int64', query('{ type: integer, format: int64 }'), inputIs('{ q?: number | bigint }')],
  [
    'int64 with exact bounds',
    query('{ type: integer, format: int64, minimum: 0, maximum: 9007199254740991 }'),
    inputIs('{ q?: number }'),
  ],
  ['an integer without a format', query('{ type: integer }'), inputIs('{ q?: number | bigint }')],
  [
    'an array in a query',
    query('{ type: array, items: { type: integer, format: int32 } }'),
    inputIs('{ q?: number[] }'),
  ],
  [
    'a header and a path parameter',
    item(`${id}, { name: X-Reason, in: header, schema: { type: string } }`),
    inputIs("{ id: string; 'X-Reason'?: string }"),
    { path: '/a/{id}', fields: { id: { in: 'path' }, 'X-Reason': { in: 'header' } } },
  ],
  [
    'an object as a body',
    post(named),
    inputIs('{ n: string }'),
    { body: { required: true }, fields: { n: ofBody(true) } },
  ],
  [
    'a body by allOf',
    post(`{ allOf: [${to('B')}, ${named}] }`) +
      schemas('B: { type: object, properties: { m: { type: string } } }'),
    "const input: Input<'op'> = { n: 'x', m: 'y' }; export { input };",
    { fields: { n: ofBody(true), m: ofBody(false) } },
  ],
  [
    'a body by oneOf',
    post(`{ oneOf: [${named}, { type: object, properties: { b: { type: string } } }] }`),
    inputIs('{ body: { n: string } | { b?: string } }'),
    { body: { required: true, whole: true }, fields: { body: ofBody(true) } },
  ],
  ['an array as a body', post(page), inputIs('{ body: string[] }')],
  [
    'an optional body with required properties',
    post(named, 'description: The n'),
    inputIs('{ body?: { n: string } }'),
    { body: { required: false, whole: true } },
  ],
  [
    'a property with the name of a parameter',
    post(named).replace(
      'requestBody',
      'parameters: [{ name: n, in: query, schema: { type: string } }]\n      requestBody',
    ),
    inputIs('{ n?: string; body: { n: string } }'),
    { fields: { n: { in: 'query' }, body: { in: 'body' } } },
  ],
  [
    'an idempotency key',
    post(named).replace('requestBody', `${idempotencyKey}\n      requestBody`),
    inputIs('{ n: string }'),
    { idempotencyKey: { header: 'Key' } },
  ],
  [
    'nullable types',
    returns("{ type: object, required: [n], properties: { n: { type: [string, 'null'] } } }"),
    resultIs('{ n: string | null }'),
  ],
  [
    'anyOf',
    returns('{ anyOf: [{ type: string }, { type: number }] }'),
    resultIs('string | number'),
  ],
  [
    'additionalProperties',
    returns('{ type: object, additionalProperties: { type: number } }'),
    resultIs('{ [key: string]: number }'),
  ],
  [
    'a schema that contains itself',
    returns(to('Tree')) +
      schemas(
        `Tree: { type: object, properties: { parts: { type: array, items: ${to('Tree')} } } }`,
      ),
    "const tree: Result<'op'> = { parts: [{ parts: [] }] }; export { tree };",
    { responses: { '200': { schema: { $ref: '#/components/schemas/Tree' } } } },
  ],
  [
    'a schema with the name of a global type',
    returns(to('Date')) + schemas('Date: { type: string }'),
    resultIs('string'),
  ],
  [
    'an operationId with capitals in a row',
    `${get(done)}\n  /b:\n    get: { operationId: getHTTPThing, ${done} }`,
    "check<Equal<Result<'getHTTPThing'>, undefined>>();",
  ],
  [
    'a pattern with an escape',
    query("{ type: string, pattern: '^[\\u0041]$' }"),
    '',
    { fields: { q: { schema: { pattern: '^[\\u0041]$' } } } },
  ],
  [
    'an enum value and a property with an escape',
    post(
      "{ type: object, required: ['\\u0042'], properties: { '\\u0042': { type: string, enum: ['\\u0041'] } } }",
    ),
    inputIs("{ '\\\\u0042': '\\\\u0041' }"),
    { fields: { '\\u0042': { schema: { enum: ['\\u0041'] } } } },
  ],
  [
    'an alias of a schema',
    returns(to('A')) + schemas(`A: ${to('B')}\nB: { type: string, description: The B }`),
    resultIs('string'),
    { responses: { '200': { schema: { type: 'string', description: 'The B' } } } },
  ],
  [
    'a reference with a description',
    query(`{ $ref: '#/components/schemas/A', description: Own }`) + schemas('A: { type: boolean }'),
    inputIs('{ q?: boolean }'),
    { fields: { q: { schema: { type: 'boolean', description: 'Own' } } } },
  ],
  [
    'several successes',
    returns('{ type: string }').replace('} } } } }', '} } } }, "204": { description: None. } }'),
    resultIs('{ status: 200; data: string } | { status: 204; data: undefined }'),
    { successes: ['200', '204'] },
  ],
  [
    'pages',
    get(paged),
    resultIs('string[]'),
    { pagination: { cursor: 'after', key: 'id', limit: 'limit' } },
  ],
  [
    'a deprecated operation with a command of its own',
    get(deprecated),
    '',
    {
      deprecated: true,
      deprecatedSince: '2026-01-01',
      sunset: '2030-12-31',
      command: ['things', 'drop'],
      stability: 'beta',
    },
  ],
];

const folder = newFolder('generated', afterAll);
const folderOf = (name: string) => join(folder, name.replaceAll(/\W+/g, '-'));

const rows = cases.map(([name, document, types, table = {}]) => ({ name, document, types, table }));
test.each(rows)('$name: the table is right', async ({ name, document, types, table }) => {
  const text = documentOf(document);
  expect(await findRefusals(text, '/spec.yaml')).toEqual([]);
  const own = folderOf(name);
  mkdirSync(join(own, 'gen'), { recursive: true });
  for (const [file, code] of await generate(text))
    if (file.startsWith('packages/types/')) writeFileSync(join(own, 'gen', basename(file)), code);
  const { operations } = await import(join(own, 'gen/operations.gen.ts'));
  expect(operations.op).toMatchObject(table);
  cpSync(join(root, 'packages/types/src/api.ts'), join(own, 'api.ts'));
  const check = `import type { Arguments, Input, Result } from './api.ts';
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export const check = <Is extends true>(is?: Is) => is;
export type Used = [Arguments<'op'>, Input<'op'>, Result<'op'>, Equal<1, 1>];
${types}\n`;
  writeFileSync(join(own, 'check.ts'), check);
});

test('the types of all cases hold', () => {
  const options = {
    noEmit: true,
    strict: true,
    module: 'nodenext',
    target: 'es2024',
    types: [],
    skipLibCheck: false,
  };
  const compilerOptions = {
    ...options,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
  };
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const include = ['*/check.ts', '*/gen/*.ts'];
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  expect(compilerErrors(folder)).toBe('');
});

test('a summary cannot end the comment of a method', async () => {
  const files = await generate(documentOf(get(`summary: Do */ it\n${done}`)));
  const calls = files.get('packages/client/src/gen/calls.gen.ts') ?? '';
  expect(calls.split('Do *\\/ it').length - 1).toBe(2);
  expect(calls).not.toContain('Do */ it');
});

test.runIf(isDeep)('schemas may have names that the packages, JavaScript or TypeScript use', () => {
  const copy = copyOfRepository();
  onTestFinished(copy.remove);
  const names = ['Call', 'CallOptions', 'Methods', 'Operations', 'Promise', 'Record', 'WireFormat'];
  const paths = names.map((name) => {
    const content = `{ application/json: { schema: ${to(name)} } }`;
    const responses = `{ "200": { description: OK, content: ${content} } }`;
    return `  /${name}:\n    get: { operationId: get${name}, tags: [names], responses: ${responses} }\n`;
  });
  const declared = names.map((name) => `    ${name}: ${named}\n`);
  copy.change('spec/openapi.yaml', (spec) =>
    spec
      .replace('\npaths:\n', `\npaths:\n${paths.join('')}`)
      .replace('\n  schemas:\n', `\n  schemas:\n${declared.join('')}`),
  );
  copy.generate();
  for (const name of ['types', 'client'])
    expect(compilerErrors(join(copy.folder, 'packages', name))).toBe('');
  const calls = readFileSync(join(copy.folder, 'packages/client/src/gen/calls.gen.ts'), 'utf8');
  // Globals and exports of the packages keep their names, so these schemas get others.
  for (const result of ['Call<ApiCall>', 'Call<ApiPromise>', 'Call<Record>'])
    expect(calls).toContain(`: ${result};`);
});

test.runIf(isDeep)(
  'generated folders that were deleted, emptied or left in a conflict come back',
  () => {
    const copy = copyOfRepository();
    onTestFinished(copy.remove);
    const folders = ['packages/types/src/gen', 'packages/client/src/gen'].map((gen) =>
      join(copy.folder, gen),
    );
    const contents = () =>
      folders.map((gen) => readdirSync(gen).map((file) => readFileSync(join(gen, file), 'utf8')));
    const before = contents();
    const [types = '', client = ''] = folders;
    rmSync(client, { recursive: true });
    writeFileSync(join(types, 'types.gen.ts'), '<<<<<<< ours\n=======\n>>>>>>> theirs\n');
    writeFileSync(join(types, 'operations.gen.ts'), '');
    writeFileSync(join(types, 'left.gen.ts'), '');
    copy.generate();
    expect(contents()).toEqual(before);
  },
);

/** What the compiler finds in a project. */
function compilerErrors(project: string): string {
  const compiler = join(root, 'tools/node_modules/@typescript/native/bin/tsc');
  const args = [compiler, '-p', project, '--noEmit', '--pretty', 'false'];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout;
}
