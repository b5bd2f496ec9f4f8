// Documents as other services have them: what is rejected, what is generated, and how long that takes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@petstore/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import type { SpecError } from '../generate/document.ts';
import { generatePackages, readModel } from '../generate/generate.ts';
import { generateWhatFits, loadClient, typeErrors } from './corpus/generated-client.ts';

const done = { '204': { description: 'Done.' } };
const get = (more: object) => ({ '/a': { get: { operationId: 'getA', responses: done, ...more } } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const withJson = (schema: object) => ({ content: { 'application/json': { schema } } });

function documentOf(paths: object, more: object = {}): string {
  const info = { title: 'x', version: '1' };
  return stringify({ openapi: '3.1.0', info, servers: [{ url: 'https://a.test/v1' }], paths, ...more });
}

const modelOf = (...args: Parameters<typeof documentOf>) => readModel(documentOf(...args), '/x/spec.yaml');

function messagesOf(text: string): readonly string[] {
  try {
    readModel(text, '/x/spec.yaml');
    return [];
  } catch (error) {
    return (error as SpecError).messages;
  }
}

const parameter = { name: 'id', in: 'query', schema: { type: 'integer' } };
const header = (name: string) => ({ name, in: 'header', schema: {} });
const inPath = (name: string) => ({ ...parameter, name, in: 'path', required: true });

test.each<[problem: string, paths: object, message: string]>([
  [
    'an unknown kind of paging',
    get({ 'x-pagination': { by: 'lst' } }),
    "paths./a.get.x-pagination: by is 'lst'; write by: last, or nothing for the Link header.",
  ],
  [
    'paging of several successes',
    get({ 'x-pagination': {}, responses: { ...done, '200': { description: 'A page.' } } }),
    'paths./a.get.x-pagination: the operation has several successes; declare one.',
  ],
  [
    'an unknown stability level',
    get({ 'x-stability-level': 'alpha' }),
    "paths./a.get.x-stability-level: 'alpha' is not a stability level; write experimental or beta.",
  ],
  [
    'a malformed reference',
    get({ parameters: [{ $ref: '#/components/parameters/100%' }] }),
    "paths./a.get.parameters: $ref '#/components/parameters/100%' cannot be resolved; correct the reference.",
  ],
  [
    'a reference with the name of a property of every object',
    get({ parameters: [{ $ref: '#/components/parameters/constructor' }] }),
    "paths./a.get.parameters: $ref '#/components/parameters/constructor' cannot be resolved; correct the reference.",
  ],
  [
    'a reference to a file with a malformed name',
    get({ parameters: [{ $ref: '100%.yaml' }] }),
    'spec.yaml: the file 100%.yaml does not exist; correct the $ref to it.',
  ],
  [
    'a default that is larger than an exact number',
    get({ parameters: [{ ...parameter, schema: { type: 'integer', default: 2n ** 53n + 1n } }] }),
    'paths./a.get.parameters.id.schema: 9007199254740992 may have been rounded; write a default, const or enum within ±(2^53−1).',
  ],
  ['TRACE', { '/a': { trace: { responses: done } } }, 'paths./a.trace: fetch cannot send TRACE; remove the operation.'],
  [
    'a path parameter that is not in the path',
    get({ parameters: [{ ...parameter, in: 'path', required: true }] }),
    'paths./a.get.parameters.id: the path does not contain {id}; add it, or remove the parameter.',
  ],
  [
    'a successor that is not an operation',
    get({ deprecated: true, 'x-successor': 'getB' }),
    "paths./a.get.x-successor: 'getB' is not an operation; write the operationId of another operation.",
  ],
  [
    'a parameter without a name',
    get({ parameters: [{ in: 'query', schema: {} }] }),
    'paths./a.get.parameters: a parameter has no name; write its name.',
  ],
  [
    'a parameter that is twice in a path',
    { '/a/{id}/b/{id}': { get: { parameters: [{ ...parameter, in: 'path', required: true }], responses: done } } },
    'paths./a/{id}/b/{id}.get: the path contains {id} twice; rename one of them.',
  ],
  [
    'a date that is none',
    get({ deprecated: true, 'x-sunset': '2030-13-01' }),
    'paths./a.get.x-sunset: \'2030-13-01\' is not a date; write a date such as "2030-12-31".',
  ],
  [
    'a header that is declared twice',
    get({ parameters: [header('X-A'), header('x-a')] }),
    "paths./a.get.parameters.x-a: the header parameter 'x-a' is declared twice, because names of headers ignore case; remove one of them.",
  ],
  [
    'a parameter that is declared twice',
    get({ parameters: [parameter, parameter] }),
    "paths./a.get.parameters.id: the query parameter 'id' is declared twice; remove one of them.",
  ],
  [
    'a path that differs from another only in names',
    {
      '/a/{id}': { get: { parameters: [inPath('id')], responses: done } },
      '/a/{other}': { put: { parameters: [inPath('other')], responses: done } },
    },
    'paths./a/{other}: the path equals /a/{id}, because names of parameters distinguish no paths; declare all operations below one of them.',
  ],
])('%s is rejected', (_, paths, message) => {
  expect(messagesOf(documentOf(paths))).toEqual([message]);
});

test('a header of an operation overrides the header of its path, whatever the case of its name', () => {
  const operation = { parameters: [header('x-a')], responses: done };
  const { operations } = modelOf({ '/a': { parameters: [header('X-A')], get: operation } });
  expect(Object.keys(operations[0]?.operation.fields ?? {})).toEqual(['x-a']);
});

describe('an invalid value of a keyword is rejected with its place:', () => {
  const integers = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
  test.each<[schema: object, place: string, message: string]>([
    [
      { pattern: '([' },
      'pattern',
      "'([' is not a regular expression with the flag u (Unterminated character class); correct the pattern.",
    ],
    [
      { pattern: '\\_' },
      'pattern',
      "'\\_' is not a regular expression with the flag u (Invalid escape); correct the pattern.",
    ],
    [
      { patternProperties: { '(': {} } },
      'patternProperties',
      "'(' is not a regular expression with the flag u (Unterminated group); correct the pattern.",
    ],
    [{ pattern: 5 }, 'pattern', 'the value is 5; write a string.'],
    [{ multipleOf: 0 }, 'multipleOf', 'the value is 0; write a number above 0.'],
    [{ minimum: '1' }, 'minimum', 'the value is "1"; write a number.'],
    [{ exclusiveMaximum: true }, 'exclusiveMaximum', 'the value is true; write a number.'],
    ...integers.map((name): [object, string, string] => [
      { [name]: -1 },
      name,
      'the value is -1; write an integer from 0.',
    ]),
    [{ uniqueItems: 'yes' }, 'uniqueItems', 'the value is "yes"; write true or false.'],
    [{ enum: [] }, 'enum', 'the value is []; write a list of values.'],
    [{ required: true }, 'required', 'the value is true; write a list of names.'],
    [{ allOf: {} }, 'allOf', 'the value is {}; write a list.'],
    [{ properties: ['a'] }, 'properties', 'the value is ["a"]; write an object.'],
    [
      { dependentRequired: { a: 'b' } },
      'dependentRequired',
      'the value is {"a":"b"}; write an object with lists of names.',
    ],
    [{ format: 5 }, 'format', 'the value is 5; write a string.'],
    [{ $ref: 5 }, '$ref', 'the value is 5; write a string.'],
    [
      { type: 'strng' },
      'type',
      'the value is "strng"; write string, number, integer, boolean, object, array or null, or a list of these.',
    ],
  ])('%j', (schema, place, message) => {
    const post = { requestBody: withJson({ properties: { a: { items: schema } } }), responses: done };
    expect(messagesOf(documentOf({ '/a': { post } }))).toEqual([
      `paths./a.post.requestBody.content.application/json.schema.properties.a.items.${place}: ${message}`,
    ]);
    const inComponent = { requestBody: withJson(ref('A')), responses: done };
    const more = { components: { schemas: { A: { items: { anyOf: [schema] } } } } };
    expect(messagesOf(documentOf({ '/a': { post: inComponent } }, more))).toEqual([
      `components.schemas.A.items.anyOf[0].${place}: ${message}`,
    ]);
  });
});

test('an alias to a node that contains the alias is rejected', () => {
  expect(messagesOf('openapi: 3.1.0\npaths: {}\nx-a: &a\n  b: *a\n')).toEqual([
    'spec.yaml: the file is neither YAML nor JSON (Converting circular structure to JSON); correct the file.',
  ]);
});

test('a successor is named by its operationId, whatever the name of its function', () => {
  const { operations } = modelOf({
    '/a': {
      get: { operationId: 'get-a', deprecated: true, 'x-successor': 'find a', responses: done },
      post: { operationId: 'find a', responses: done },
    },
  });
  expect(operations.map(({ operation }) => [operation.id, operation.successor])).toEqual([
    ['getA', 'findA'],
    ['findA', undefined],
  ]);
});

test('components and headers of OpenAPI 3.0 are upgraded, whatever their names', () => {
  const schema = { type: 'integer', minimum: 0, exclusiveMinimum: true };
  const names = ['x-page', 'example', 'schema', 'default'];
  const parameters = Object.fromEntries(names.map((name) => [name, { name, in: 'query', schema }]));
  const headers = { 'x-rest': { schema } };
  const responses = { '204': { description: 'Done.', headers } };
  const refs = names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
  const model = modelOf(get({ parameters: refs, responses }), { openapi: '3.0.3', components: { parameters } });
  const upgraded = { type: 'integer', exclusiveMinimum: 0 };
  expect(Object.values(model.operations[0]?.operation.fields ?? {}).map((field) => field.schema)).toEqual(
    names.map(() => upgraded),
  );
  expect(JSON.stringify(model.document.paths)).toContain(JSON.stringify({ 'x-rest': { schema: upgraded } }));
});

test('a component called example may refer to a file', () => {
  const parameters = { example: { $ref: 'parameters.yaml#/id' } };
  const text = documentOf(get({ parameters: [{ $ref: '#/components/parameters/example' }] }), {
    components: { parameters },
  });
  const folder = makeFolder('documents');
  onTestFinished(folder.remove);
  writeFileSync(join(folder.folder, 'parameters.yaml'), stringify({ id: parameter }));
  const { operations } = readModel(text, join(folder.folder, 'spec.yaml'));
  expect(Object.keys(operations[0]?.operation.fields ?? {})).toEqual(['id']);
});

test('a property called __proto__ is in the document, too', async () => {
  const body = withJson({ type: 'object', properties: JSON.parse('{"__proto__":{"type":"string"}}') });
  const files = await generatePackages(modelOf({ '/a': { post: { requestBody: body, responses: done } } }));
  expect(files.get('packages/types/src/gen/document.gen.ts')).toContain('["__proto__"]: {');
});

test('schemas that refer to each other many times are read in a moment', async () => {
  const levels = Array.from({ length: 22 }, (_, i) => {
    const properties = i < 21 ? { a: ref(`S${i + 1}`), b: ref(`S${i + 1}`) } : { c: { type: 'string' } };
    return [`S${i}`, { type: 'object', properties }] as const;
  });
  const subtypes = Array.from({ length: 4 }, (_, i) => `Sub${i}`);
  const schemas = {
    ...Object.fromEntries(levels),
    Super: { oneOf: subtypes.map(ref) },
    ...Object.fromEntries(subtypes.map((name) => [name, { allOf: [ref('Super'), { properties: { [name]: {} } }] }])),
  };
  const responses = { '200': { description: 'Levels.', ...withJson(ref('S0')) } };
  const post = { requestBody: withJson(ref('Super')), responses };
  const files = await generatePackages(modelOf({ '/a': { post } }, { components: { schemas } }));
  expect(files.size).toBeGreaterThan(0);
});

test('operations, schemas and security schemes of any name can be imported', async () => {
  const names = ['Call', 'pages', 'outcome', 'Page', 'NotFoundError', 'Input', 'service', 'Search'];
  const responses = { '200': { description: 'A result.', ...withJson(ref('Search')) } };
  const paths = Object.fromEntries(names.map((id) => [`/${id}`, { get: { operationId: id, tags: [id], responses } }]));
  const schemas = Object.fromEntries(
    ['Search', 'Page', 'NotFoundError', 'Operations'].map((name) => [name, { type: 'object' }]),
  );
  const securitySchemes = Object.fromEntries(
    ['api-key', 'api_key'].map((name) => [name, { type: 'apiKey', in: 'header', name }]),
  );
  const security = [{ 'api-key': [], api_key: [] }];
  const { folder, remove } = makeFolder('names');
  onTestFinished(remove);
  const file = join(folder, 'spec.yaml');
  writeFileSync(file, documentOf(paths, { components: { schemas, securitySchemes }, security }));
  const { files, rejected } = await generateWhatFits(file);
  expect(rejected).toEqual([]);
  mkdirSync(join(folder, 'client'));
  const { operations } = await loadClient(files, join(folder, 'client'));
  expect(typeErrors(folder, ['client'])).toEqual([]);
  const [front, calls] = await Promise.all(
    ['index.ts', 'gen/calls.gen.ts'].map((name) => import(join(folder, 'client/packages/client/src', name))),
  );
  expect(operations.filter(({ id }) => front[id] !== calls[id])).toEqual([]);
  expect(operations.length).toBe(names.length);
}, 60_000);

test('callbacks and log lines contain no API key, whatever the name of its parameter', async () => {
  const securitySchemes = { key: { type: 'apiKey', in: 'query', name: 'App Id' } };
  const { folder, remove } = makeFolder('credentials');
  onTestFinished(remove);
  const text = documentOf(get({}), { components: { securitySchemes }, security: [{ key: [] }] });
  await loadClient(await generatePackages(readModel(text, '/x/spec.yaml')), folder);
  const { petstore } = await import(join(folder, 'packages/client/src/index.ts'));
  const shown: unknown[] = [];
  const on = { request: (request: unknown) => shown.push(request) };
  const fetch = async () => new Response(null, { status: 204 });
  await petstore({ apiKey: 'secret', on, fetch }).getA({ other: 1 });
  expect(shown).toMatchObject([{ url: 'https://a.test/v1/a?other=1&App%20Id=***' }]);
});

test('the fake service reads forms, and says which parameters it cannot read', async () => {
  const { folder, remove } = makeFolder('fake');
  onTestFinished(remove);
  const properties = { name: { type: 'string' }, sizes: { type: 'array', items: { type: 'integer' } } };
  const photo = { type: 'string', format: 'binary' };
  const owner = { type: 'object', additionalProperties: false, properties: { name: { type: 'string' } } };
  const post = (operationId: string, type: string, more: object) => {
    const schema = { type: 'object', required: ['name'], properties: { ...properties, ...more } };
    return { post: { operationId, requestBody: { required: true, content: { [type]: { schema } } }, responses: done } };
  };
  const text = documentOf({
    '/form': post('sendForm', 'application/x-www-form-urlencoded', { owner }),
    '/parts': post('sendParts', 'multipart/form-data', { photo }),
    '/json': post('sendJson', 'application/json', { owner }),
    ...get({ parameters: [{ name: 'ids', in: 'query', explode: false, schema: properties.sizes }] }),
  });
  await loadClient(await generatePackages(readModel(text, '/x/spec.yaml')), folder);
  const { fakeService } = await import(join(folder, 'packages/client/src/testing/index.ts'));
  const inputs: Record<string, unknown>[] = [];
  const handler = async (input: Record<string, unknown>) => void inputs.push(input);
  const handlers = { sendForm: handler, sendParts: handler, sendJson: handler, getA: handler };
  const { store } = fakeService({ handlers });
  const input = { name: 'Rex', sizes: [1, 2] };
  await store.sendForm({ ...input, owner: { name: 'Ida' } });
  await store.sendParts({ ...input, photo: new Blob(['x']) });
  expect(inputs).toEqual([
    { ...input, owner: { name: 'Ida' } },
    { ...input, photo: expect.any(Blob) },
  ]);
  await expect(store.sendForm({ sizes: [1] })).rejects.toMatchObject({
    status: 400,
    message: "body 'name' is missing",
  });
  await expect(store.sendJson({ ...input, owner: { age: 7 } })).rejects.toMatchObject({ status: 400 });
  await store.getA();
  await expect(store.getA({ ids: [1, 2] }, { retry: 0 })).rejects.toMatchObject({
    status: 501,
    message: "The fake service cannot read 'ids', which is a cookie or in another style than the default.",
  });
});

test('a response to HEAD has no body, even if the document declares one', async () => {
  const { folder, remove } = makeFolder('head');
  onTestFinished(remove);
  const responses = { '200': { description: 'A thing.', ...withJson({ type: 'object' }) } };
  const text = documentOf({ '/a': { head: { operationId: 'headA', responses } } });
  await loadClient(await generatePackages(readModel(text, '/x/spec.yaml')), folder);
  const { petstore } = await import(join(folder, 'packages/client/src/index.ts'));
  const { data, response } = await petstore({ fetch: async () => new Response() })
    .headA()
    .withResponse();
  expect([data, response.status]).toEqual([undefined, 200]);
});
