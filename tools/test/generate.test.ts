import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@petstore/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { openProject } from '../drift/project.ts';
import { generate } from '../generate/generate.ts';
import { commandOf, derivedId } from '../generate/names.ts';
import { type Copy, copyOfRepository } from './repository-copy.ts';

const spec = openProject().read('spec/openapi.yaml');

/** The spec with another path. */
function withPath(path: string, item: object): string {
  const document = parse(spec);
  document.paths[path] = item;
  return stringify(document);
}

const answer = { '204': { description: 'Done.' } };

describe('a spec that cannot be carried', () => {
  test('stops with one sentence for each construct, all at once', async () => {
    const text = withPath('/things/{id}', {
      get: {
        operationId: 'getThing',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'id', in: 'query', schema: { type: 'string' } },
          { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'array', items: { type: 'string' } } },
        ],
        requestBody: { content: { 'application/json': { schema: {} } } },
        responses: answer,
      },
    });
    await expect(generate(text)).rejects.toMatchObject({
      sentences: [
        "paths./things/{id}.get.parameters.id: 'id' is a path parameter and a query parameter; rename one, because inputs stand side by side.",
        'paths./things/{id}.get.parameters.filter: a list as deepObject, which OpenAPI leaves undefined; write style: form.',
        'paths./things/{id}.get.requestBody: a body with GET, which fetch cannot send; write POST.',
      ],
    });
  });

  test('a clash of commands asks for x-command, which solves it', async () => {
    const clash = (more: object) =>
      withPath('/pets/latest', { get: { operationId: 'pets_get', tags: ['pets'], responses: answer, ...more } });
    await expect(generate(clash({}))).rejects.toMatchObject({
      sentences: ["paths./pets/latest.get: its command 'pets get' is that of getPet too; choose one in x-command."],
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

  test('says what stops it in one line, writes nothing and leaves nothing behind', () => {
    const gen = join(copy.folder, 'packages/types/src/gen');
    const before = readdirSync(gen);
    const { folder: temporary, remove } = makeFolder('generate');
    const env = { ...process.env, TMPDIR: temporary };
    const { status, stdout, stderr } = spawnSync(process.execPath, ['generate/main.ts'], {
      cwd: join(copy.folder, 'tools'),
      env,
      encoding: 'utf8',
    });
    const left = readdirSync(temporary).filter((name) => name.startsWith('petstore-'));
    remove();
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      "spec/openapi.yaml: paths./pets.get.parameters.limit: 'limit' is a query parameter and a header parameter; rename one, because inputs stand side by side.\n",
    ]);
    expect([readdirSync(gen), left]).toEqual([before, []]);
  });
});

describe('names', () => {
  const command = (id: string, method: string, path: string, tag: string | undefined = 'pets') =>
    commandOf({ id, method, path, tag, said: undefined }, '').join(' ');

  test.each([
    ['listPets', 'get', '/pets', 'pets list'],
    ['getPets', 'get', '/pets', 'pets list'],
    ['getPet', 'get', '/pets/{petId}', 'pets get'],
    ['getPetPhoto', 'get', '/pets/{petId}/photo', 'pets get-photo'],
    ['findPetsByStatus', 'get', '/pets/findByStatus', 'pets find-by-status'],
    ['pets_list', 'get', '/pets', 'pets list'],
  ])('%s is the command of its own operation alone', (id, method, path, expected) => {
    expect(command(id, method, path)).toBe(expected);
  });

  test('an operation without a name or a tag has those that its path makes', () => {
    expect(derivedId('get', '/pets/{petId}/photo')).toBe('getPetsByPetIdPhoto');
    expect(command('getPetsByPetIdPhoto', 'get', '/pets/{petId}/photo', undefined)).toBe('pets get-by-id-photo');
  });
});
