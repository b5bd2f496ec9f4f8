import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { deployments, type Operation, operations as operationsOfSpec, version } from '@petstore/types';
import { fullTree } from 'petctl/internal';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { openProject } from '../drift/project.ts';
import { generatePackages, readModel } from '../generate/generate.ts';
import { commandOf, derivedId } from '../generate/operation-names.ts';
import { type Copy, copyOfRepository } from './repository-copy.ts';

const generate = async (spec: string) => generatePackages(readModel(spec));

const spec = openProject().read('spec/openapi.yaml');

/** The spec with another path. */
function withPath(path: string, item: object): string {
  const document = parse(spec);
  document.paths[path] = item;
  return stringify(document);
}

const noContent = { '204': { description: 'Done.' } };

test('the version and the deployments are those of the spec', () => {
  const { info, servers } = parse(spec);
  expect(version).toBe(info.version);
  expect(Object.entries(deployments)).toEqual(
    servers.map((server: { 'x-deployment': string; variables: Record<string, { default: string }> }) => [
      server['x-deployment'],
      Object.values(server.variables)[0]?.default,
    ]),
  );
});

test.each([
  ['https://example.com/a/b/', '/a/b'],
  ['/c', '/c'],
  ['https://example.com', ''],
])('the base path of a server at %s is %j', async (url, basePath) => {
  const files = await generate(stringify({ ...parse(spec), servers: [{ url }] }));
  expect(files.get('packages/types/src/gen/service.gen.ts')).toContain(`basePath: '${basePath}'`);
});

test('the service has the headers of all responses, each name once', async () => {
  const headers = { 'X-Total': {}, 'X-Request-Id': {} };
  const get = { operationId: 'getTotal', responses: { '204': { description: 'Done.', headers } } };
  const files = await generate(withPath('/total', { get }));
  const code = files.get('packages/types/src/gen/service.gen.ts');
  const [, names = ''] = /responseHeaders: \[([^\]]*)\]/.exec(code ?? '') ?? [];
  expect(names.match(/X-Total|X-Request-Id/g)).toEqual(['X-Request-Id', 'X-Total']);
});

test('a body that is one input has documentation', async () => {
  const typesOf = async (more: object) => {
    const requestBody = { ...more, content: { 'image/jpeg': {} } };
    const files = await generate(
      withPath('/photo', { put: { operationId: 'putPhoto', requestBody, responses: noContent } }),
    );
    return files.get('packages/types/src/gen/operation-types.gen.ts');
  };
  expect(await typesOf({ description: 'The photo.' })).toMatch(/\* The photo\.\s*\*\/\s*body\?: Blob/);
  expect(await typesOf({})).toMatch(/\* The body of the request\.\s*\*\/\s*body\?: Blob/);
});

describe('a spec that is not supported', () => {
  test('is rejected with one message for each construct, all at once', async () => {
    const text = withPath('/things/{id}', {
      get: {
        operationId: 'getThing',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'id', in: 'query', schema: { type: 'string' } },
          { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'array', items: { type: 'string' } } },
        ],
        requestBody: { content: { 'application/json': { schema: {} } } },
        responses: noContent,
      },
    });
    await expect(generate(text)).rejects.toMatchObject({
      messages: [
        "paths./things/{id}.get.parameters.id: 'id' is both a path parameter and a query parameter; rename one, because all inputs are properties of one object.",
        "paths./things/{id}.get.parameters.filter: OpenAPI does not define a list with style 'deepObject'; write style: form.",
        'paths./things/{id}.get.requestBody: GET has a body, which fetch cannot send; use POST.',
      ],
    });
  });

  test('because of its security schemes is rejected with only the unsupported ones', async () => {
    const document = parse(spec);
    Object.assign(document.components.securitySchemes, {
      digest: { type: 'http', scheme: 'digest' },
      certificate: { type: 'mutualTLS' },
    });
    const withSecurity = (...security: object[]) => generate(stringify({ ...document, security }));
    await expect(withSecurity({ digest: [], certificate: [] }, { digest: [] })).rejects.toMatchObject({
      messages: expect.arrayContaining([
        "security: clients do not support the security schemes 'digest'; use http bearer or basic, apiKey, oauth2, openIdConnect or mutualTLS.",
      ]),
    });
    await expect(withSecurity({ certificate: [] })).resolves.toBeDefined();
  });

  test('a clash of commands asks for x-command, which solves it', async () => {
    const clash = (more: object) =>
      withPath('/pets/latest', { get: { operationId: 'pets_get', tags: ['pets'], responses: noContent, ...more } });
    await expect(generate(clash({}))).rejects.toMatchObject({
      messages: [
        "paths./pets/latest.get: the command 'pets get' is already used by getPet; choose another command in x-command.",
      ],
    });
    const files = await generate(clash({ 'x-command': 'pets latest' }));
    expect(files.get('packages/types/src/gen/operations.gen.ts')).toContain("command: ['pets', 'latest']");
  });
});

describe('npm run generate', () => {
  let copy: Copy;
  beforeAll(() => {
    copy = copyOfRepository();
    copy.change('spec/openapi.yaml', (text) =>
      text.replace(
        '        - name: status\n',
        '        - name: limit\n          in: header\n          schema: {}\n        - name: status\n',
      ),
    );
  });
  afterAll(() => copy.remove());

  test('prints why a spec is not supported in one line, and writes nothing', () => {
    const gen = join(copy.folder, 'packages/types/src/gen');
    const before = readdirSync(gen);
    const temporary = newFolder('generate');
    const env = { ...process.env, TMPDIR: temporary };
    const { status, stdout, stderr } = spawnSync(process.execPath, ['generate/main.ts'], {
      cwd: join(copy.folder, 'tools'),
      env,
      encoding: 'utf8',
    });
    const left = readdirSync(temporary).filter((name) => name.startsWith('petstore-'));
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      "spec/openapi.yaml: paths./pets.get.parameters.limit: 'limit' is both a query parameter and a header parameter; rename one, because all inputs are properties of one object.\n",
    ]);
    expect([readdirSync(gen), left]).toEqual([before, []]);
  });
});

describe('names', () => {
  test("no operation takes the name of one of petctl's own commands", () => {
    const operations = new Set(Object.values<Operation>(operationsOfSpec).map(({ command: [group] }) => group));
    const own = (fullTree().commands ?? []).filter(({ name }) => !operations.has(name));
    for (const { name } of own) {
      expect(command('listThings', 'get', '/things', name)).toBe(`api-${name} list-things`);
      expect(() => command('listThings', 'get', '/things', name, `${name} list`)).toThrow(
        `the command '${name} list' is built into petctl; choose another command in x-command`,
      );
    }
    expect(command('importPets', 'post', '/pets/import')).toBe('pets api-import');
  });

  const command = (id: string, method: string, path: string, tag: string | undefined = 'pets', explicit?: string) =>
    commandOf({ id, method, path, tag, command: explicit }, '').join(' ');

  test.each([
    ['listPets', 'get', '/pets', 'pets list'],
    ['getPets', 'get', '/pets', 'pets list'],
    ['getPet', 'get', '/pets/{petId}', 'pets get'],
    ['getPetPhoto', 'get', '/pets/{petId}/photo', 'pets get-photo'],
    ['findPetsByStatus', 'get', '/pets/findByStatus', 'pets find-by-status'],
    ['pets_list', 'get', '/pets', 'pets list'],
  ])('the command of %s, %s %s, is %s', (id, method, path, expected) => {
    expect(command(id, method, path)).toBe(expected);
  });

  test('an operation without a name or a tag gets both from its path', () => {
    expect(derivedId('get', '/pets/{petId}/photo')).toBe('getPetsByPetIdPhoto');
    expect(command('getPetsByPetIdPhoto', 'get', '/pets/{petId}/photo', undefined)).toBe('pets get-by-id-photo');
  });
});

test('an operation may have the name of a function that the client imports', async () => {
  const text = withPath('/things', {
    get: {
      operationId: 'inQuery',
      parameters: [{ name: 'a', in: 'query', schema: { type: 'string' } }],
      responses: noContent,
    },
    post: { operationId: 'send', responses: noContent },
  });
  const calls = (await generate(text)).get('packages/client/src/gen/calls.gen.ts') ?? '';
  expect(calls).toContain('inQuery as inQuery_');
  expect(calls).toContain('export function inQuery(');
  expect(calls).toContain('encoders: [inQuery_]');
  expect(calls).toContain('return send_(connection');
});
