// What is generated from the documents of other services, and how long that takes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { generateEverything } from '../generate/everything.ts';
import { generatePackages, readModel } from '../generate/generate.ts';
import { generateWhatFits, loadClient, typeErrors } from './corpus/generated-client.ts';
import { done, get, header, modelOf, parameter, ref, specOf, withJson } from './support/spec.ts';

test('a header of an operation overrides the header of its path, whatever the case of its name', () => {
  const operation = { parameters: [header('x-a')], responses: done };
  const { operations } = modelOf({ '/a': { parameters: [header('X-A')], get: operation } });
  expect(Object.keys(operations[0]?.operation.fields ?? {})).toEqual(['x-a']);
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
  const text = specOf(get({ parameters: [{ $ref: '#/components/parameters/example' }] }), {
    components: { parameters },
  });
  const folder = newFolder('documents');
  writeFileSync(join(folder, 'parameters.yaml'), stringify({ id: parameter }));
  const { operations } = readModel(text, join(folder, 'spec.yaml'));
  expect(Object.keys(operations[0]?.operation.fields ?? {})).toEqual(['id']);
});

test('a reference in an extension is not followed', async () => {
  const extension = { 'x-policy': { file: { $ref: 'policies.yaml#/a' }, local: { $ref: '#/x-none/a' } } };
  const properties = { 'x-a': { type: 'string' }, b: { type: 'string', ...extension } };
  const schemas = { A: { type: 'object', properties, ...extension }, 'x-b': { type: 'string' } };
  const model = modelOf(get({ ...extension, responses: { '200': { description: 'Done.', ...withJson(ref('A')) } } }), {
    ...extension,
    components: { schemas },
  });
  expect(model.document).toMatchObject({ ...extension, components: { schemas } });
  const files = await generateEverything(model);
  expect(files.get('packages/types/src/gen/types.gen.ts')).toContain("'x-a'?: string;");
});

test('types are generated for schemas and operations only', async () => {
  const schemas = { ClientOptions: { type: 'string' } };
  const files = await generatePackages(modelOf(get({}), { components: { schemas } }));
  const names = [...files].flatMap(([file, text]) =>
    file.startsWith('packages/types/') ? [...text.matchAll(/^export type (\w+) =/gm)].map(([, name]) => name) : [],
  );
  expect(names.sort()).toEqual(['ClientOptions', 'GetAData', 'GetAResponse', 'GetAResponses', 'Operations']);
  expect(files.get('packages/types/src/gen/types.gen.ts')).toContain('export type ClientOptions = string;');
  const operations = files.get('packages/types/src/gen/operation-types.gen.ts') ?? '';
  expect(operations.match(/(?<=^ +)\w+(?=: )/gm)).toEqual(['getA', 'data', 'body', 'response']);
});

test.each(['3.0.3', '3.1.0'])(
  'a binary string is text in JSON alone, and a file if a form has it: OpenAPI %s',
  async (openapi) => {
    const file = { type: 'string', format: 'binary' };
    const schemas = Object.fromEntries(['InJson', 'InForm', 'InBoth'].map((name) => [name, { properties: { file } }]));
    const inForm = (name: string) => ({ 'multipart/form-data': { schema: ref(name) } });
    const responses = { '200': { description: 'Done.', ...withJson(ref('InBoth')) } };
    const paths = {
      '/a': { post: { requestBody: withJson(ref('InJson')), responses } },
      '/b': { post: { requestBody: { content: inForm('InForm') }, responses: done } },
      '/c': { post: { requestBody: { content: inForm('InBoth') }, responses: done } },
    };
    const files = await generatePackages(modelOf(paths, { openapi, components: { schemas } }));
    const types = files.get('packages/types/src/gen/types.gen.ts') ?? '';
    const typeOf = (name: string) => new RegExp(`type ${name} = {\\s*file\\?: ([^;]+);`).exec(types)?.[1];
    expect(Object.keys(schemas).map(typeOf)).toEqual(['string', 'Blob | File', 'Blob | File']);
  },
);

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
  const folder = newFolder('names');
  const file = join(folder, 'spec.yaml');
  writeFileSync(file, specOf(paths, { components: { schemas, securitySchemes }, security }));
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

/** A module of the client that is generated from a model. */
async function generateClient(model: ReturnType<typeof modelOf>, module = 'index.ts') {
  const folder = newFolder('client');
  await loadClient(await generatePackages(model), folder);
  return import(join(folder, 'packages/client/src', module));
}

test('callbacks and log lines contain no API key, whatever the name of its parameter', async () => {
  const securitySchemes = { key: { type: 'apiKey', in: 'query', name: 'App Id' } };
  const model = modelOf(get({}), { components: { securitySchemes }, security: [{ key: [] }] });
  const { petstore } = await generateClient(model);
  const shown: unknown[] = [];
  const on = { request: (request: unknown) => shown.push(request) };
  const fetch = async () => new Response(null, { status: 204 });
  await petstore({ apiKey: 'secret', on, fetch }).getA({ other: 1 });
  expect(shown).toMatchObject([{ url: 'https://a.test/v1/a?other=1&App%20Id=***' }]);
});

test('the fake service reads keys by the security schemes, whatever their names', async () => {
  const apiKey = (location: string) => ({ type: 'apiKey', in: location, name: 'key' });
  const http = (scheme: string) => ({ type: 'http', scheme });
  const securitySchemes = {
    ...{ token: http('bearer'), login: http('basic') },
    ...{ header: apiKey('header'), query: apiKey('query'), cookie: apiKey('cookie') },
  };
  const alternatives: Record<string, string[][]> = {
    ...Object.fromEntries(Object.keys(securitySchemes).map((name) => [name, [[name]]])),
    ...{ both: [['token', 'header']], either: [['token'], ['query']], open: [['token'], []] },
  };
  const paths = Object.entries(alternatives).map(([id, all]) => {
    const security = all.map((names) => Object.fromEntries(names.map((name) => [name, []])));
    return [`/${id}`, { get: { operationId: id, security, responses: done } }];
  });
  const model = modelOf(Object.fromEntries(paths), { components: { securitySchemes } });
  const { fakeService } = await generateClient(model, 'testing/index.ts');
  const ids = Object.keys(alternatives);
  const handlers = Object.fromEntries(ids.map((id) => [id, async () => undefined]));
  const { fetch, store, requests } = fakeService({ apiKey: 'right', handlers });
  const wrong = { token: 'no', login: { username: 'me', password: 'no' }, header: 'no', query: 'no', cookie: 'no' };
  const statuses: unknown = await Promise.all(
    ids.map(async (id) => {
      const outcomes = [store, store.withOptions({ apiKey: 'no', credentials: wrong })].map((one) =>
        one[id]().outcome(),
      );
      const [right, other] = await Promise.all(outcomes);
      const { status, headers } = await fetch(`https://a.test/v1/${id}`);
      return [id, right.ok, other.error?.status, status, headers.get('www-authenticate')];
    }),
  );
  expect(statuses).toEqual([
    ['token', true, 401, 401, 'Bearer'],
    ['login', true, 401, 401, 'Basic realm="api", charset="UTF-8"'],
    ['header', true, 401, 401, 'ApiKey in="header", name="key"'],
    ['query', true, 401, 401, 'ApiKey in="query", name="key"'],
    ['cookie', true, 401, 401, 'ApiKey in="cookie", name="key"'],
    ['both', true, 401, 401, 'Bearer, ApiKey in="header", name="key"'],
    ['either', true, 401, 401, 'Bearer, ApiKey in="query", name="key"'],
    ['open', true, undefined, 204, null],
  ]);
  expect(requests.length).toBe(3 * ids.length);
});

test('the fake service reads forms, and says which parameters it cannot read', async () => {
  const properties = { name: { type: 'string' }, sizes: { type: 'array', items: { type: 'integer' } } };
  const photo = { type: 'string', format: 'binary' };
  const owner = { type: 'object', additionalProperties: false, properties: { name: { type: 'string' } } };
  const post = (operationId: string, type: string, more: object) => {
    const schema = { type: 'object', required: ['name'], properties: { ...properties, ...more } };
    return { post: { operationId, requestBody: { required: true, content: { [type]: { schema } } }, responses: done } };
  };
  const model = modelOf({
    '/form': post('sendForm', 'application/x-www-form-urlencoded', { owner }),
    '/parts': post('sendParts', 'multipart/form-data', { photo }),
    '/json': post('sendJson', 'application/json', { owner }),
    ...get({ parameters: [{ name: 'ids', in: 'query', explode: false, schema: properties.sizes }] }),
  });
  const { fakeService } = await generateClient(model, 'testing/index.ts');
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
    message: "The fake service cannot read 'ids': it is a cookie, or not in the default style.",
  });
});

test('the fake service responds to an operation whose shape is unknown only as its handler does', async () => {
  const pet = { type: 'object', required: ['petId'], properties: { petId: { type: 'integer' } } };
  const json = { description: 'A pet.', content: { 'application/json': { schema: pet } } };
  const text = { description: 'A text.', content: { 'text/plain': { schema: { type: 'string' } } } };
  const model = modelOf({
    '/adopt': { post: { operationId: 'adoptPet', responses: { '201': json } } },
    '/confirm': { post: { operationId: 'confirm', responses: { '202': json, '200': text } } },
  });
  const { fakeService } = await generateClient(model, 'testing/index.ts');
  const { store } = fakeService();
  for (const id of ['adoptPet', 'confirm'])
    expect(await store[id]().outcome()).toMatchObject({
      error: { status: 501, message: `The fake service cannot derive what ${id} does: give handlers.${id}.` },
    });
  const sold = Object.assign(new Error('The pet is sold.'), { status: 409, code: 'sold' });
  const results = [
    { status: 200, data: 'It is.' },
    { status: 202, data: { petId: 1 } },
  ];
  const handlers = { adoptPet: () => Promise.reject(sold), confirm: async () => results.at(0) };
  const handled = fakeService({ handlers }).store;
  expect(await handled.adoptPet().outcome()).toMatchObject({
    error: { status: 409, code: 'sold', message: sold.message },
  });
  for (; results.length > 0; results.shift()) expect(await handled.confirm()).toEqual(results[0]);
});

test('a response to HEAD has no body, even if the document declares one', async () => {
  const responses = { '200': { description: 'A thing.', ...withJson({ type: 'object' }) } };
  const { petstore } = await generateClient(modelOf({ '/a': { head: { operationId: 'headA', responses } } }));
  const { data, response } = await petstore({ fetch: async () => new Response() })
    .headA()
    .withResponse();
  expect([data, response.status]).toEqual([undefined, 200]);
});

test.each([204, 205])('a response with status %i has no body, even if the document declares one', async (status) => {
  const responses = { [status]: { description: 'Done.', ...withJson({ type: 'object' }) } };
  const { petstore } = await generateClient(modelOf({ '/a': { post: { operationId: 'addA', responses } } }));
  const { data, response } = await petstore({ fetch: async () => new Response(null, { status }) })
    .addA()
    .withResponse();
  expect([data, response.status]).toEqual([undefined, status]);
});
