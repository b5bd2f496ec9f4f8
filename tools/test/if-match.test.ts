import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { apiKey } from '@petstore/testing/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { openProject } from '../drift/project.ts';
import { generateEverything } from '../generate/everything.ts';
import { startServer } from './support/server.ts';

const [spec, handlers] = ['spec/openapi.yaml', 'apps/server/src/handlers.ts'];

const folder = newFolder('if-match', afterAll);

const change = `
    replacePet: ({ petId, ...pet }) => stored(pets(), (pets) => pets.replace(petId, pet), noPet(petId)),

    mergePet: async ({ petId, ...changes }) => {
      const found = await stored(pets(), (pets) => pets.get(petId), noPet(petId));
      const [pet, ifVersion] = [{ ...found.decode(), ...changes }, found.version];
      return stored(pets(), (pets) => pets.replace(petId, pet, { ifVersion }), noPet(petId));
    },

    removePet: async ({ petId }) => {
      if ((await pets().remove(petId)).outcome !== 'removed') throw noPet(petId)();
    },
`;

/** The spec with operations that change a pet; one of them declares the header. */
function withChanges(text: string, codes: Record<string, number>): string {
  const document = parse(text);
  const { get } = document.paths['/pets/{petId}'];
  const ok = {
    description: 'The pet.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
  };
  const described = (operationId: string, success: object, schema?: object, parameters: object[] = []) => ({
    ...{ operationId, tags: ['pets'], summary: operationId, parameters: [...get.parameters, ...parameters] },
    ...(schema && { requestBody: { required: true, content: { 'application/json': { schema } } } }),
    responses: { ...success, default: { $ref: '#/components/responses/UnexpectedError' } },
  });
  const { NewPet, ErrorCode } = document.components.schemas;
  const condition = { name: 'If-Match', in: 'header', schema: { type: 'string' } };
  document.paths['/pets/{petId}'] = {
    get,
    put: described('replacePet', { 200: ok }, { $ref: '#/components/schemas/NewPet' }, [condition]),
    patch: described(
      'mergePet',
      { 200: ok },
      { type: 'object', additionalProperties: false, properties: NewPet.properties },
    ),
    delete: described('removePet', { 204: { description: 'It was removed.' } }),
  };
  ErrorCode.enum.push(...Object.keys(codes));
  Object.assign(ErrorCode['x-statuses'], codes);
  return stringify(document);
}

describe.each([
  ['invalid_request', {}],
  ['precondition_failed', { precondition_failed: 412 }],
])('with the code %s', (code, codes) => {
  let baseUrl: string;
  let stop: () => Promise<unknown>;
  beforeAll(async () => {
    const shipped = openProject();
    const edited = shipped.with({ [spec]: withChanges(shipped.read(spec), codes) });
    const source = shipped.read(handlers).replace('    getPet:', `${change}\n    getPet:`);
    const project = edited.with({
      ...Object.fromEntries(await generateEverything(edited.spec.model)),
      [handlers]: source,
    });
    const server = await project.load<typeof import('@petstore/server')>('@petstore/server');
    const store = await server.openLowdbStore(join(folder, code));
    const running = await startServer({}, server, store);
    baseUrl = `${running.origin}/v1/pets`;
    stop = async () => {
      await running.stop();
      await store.close();
    };
  }, 60_000);
  afterAll(() => stop());

  const rex = { name: 'Rex', categoryId: 2 };
  const call = async (method: string, path: string, ifMatch?: string, body?: object) => {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    };
    const response = await fetch(baseUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    return {
      status: response.status,
      etag: response.headers.get('etag') ?? '',
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
  /** A new pet: its path, and the version that it has and the one that it had. */
  async function pet() {
    const path = `/${(await call('POST', '', undefined, rex)).body.id}`;
    const old = (await call('GET', path)).etag;
    await call('PUT', path, undefined, { ...rex, name: 'Max' });
    const { etag: current } = await call('GET', path);
    expect([old, current]).toEqual([expect.stringMatching(/^"[^"]+"$/), expect.not.stringContaining(old)]);
    return { path, old, current };
  }

  const changes = [
    ['PUT', 200, { name: 'Tom', categoryId: 1 }],
    ['PATCH', 200, { name: 'Tom' }],
    ['DELETE', 204, undefined],
  ] as const;

  describe.each(changes)('%s', (method, success, body) => {
    test.each<[string, (tags: { old: string; current: string }) => string]>([
      ['the current version', ({ current }) => current],
      ['one of several', ({ old, current }) => `${old} ,"x,y", ${current}`],
      ['any version', () => '*'],
    ])('is done where If-Match names %s', async (_, tag) => {
      const { path, ...tags } = await pet();
      expect(await call(method, path, tag(tags), body)).toMatchObject({ status: success });
      const after = await call('GET', path);
      if (method === 'DELETE') expect(after.status).toBe(404);
      else expect(after.body).toEqual({ id: Number(path.slice(1)), ...rex, ...body });
    });

    test.each<[string, (tags: { old: string; current: string }) => string]>([
      ['an old version', ({ old }) => old],
      ['the current one as a weak one', ({ current }) => `W/${current}`],
      ['others', () => '"a", "b"'],
    ])('is not done where it names %s', async (_, tag) => {
      const { path, ...tags } = await pet();
      const { status, body: error } = await call(method, path, tag(tags), body);
      expect([status, error]).toEqual([
        412,
        { code, status: 412, message: expect.stringContaining('another version') },
      ]);
      expect(await call('GET', path)).toMatchObject({ etag: tags.current, body: { name: 'Max' } });
    });

    test('is a 404 for a missing document, whatever version is named', async () => {
      for (const tag of ['*', '"a"', 'W/"a"'])
        expect(await call(method, '/999', tag, body)).toMatchObject({ status: 404 });
    });

    test.each(['', 'abc', '"a', '"a" "b"', '*, "a"', Array.from({ length: 17 }, (_, i) => `"${i}"`).join()])(
      'is rejected with the malformed If-Match %s',
      async (tag) => {
        const { path, current } = await pet();
        expect(await call(method, path, tag, body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
        expect((await call('GET', path)).etag).toBe(current);
      },
    );
  });

  test('one of many concurrent changes of one version is done', async () => {
    const { path, current } = await pet();
    const all = Array.from({ length: 20 }, (_, i) => call('PUT', path, current, { name: `pet ${i}`, categoryId: i }));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 412)]);
  });

  test('If-Match does not affect a read or a create', async () => {
    const { path, current } = await pet();
    expect(await call('GET', path, '"a"')).toMatchObject({ status: 200, etag: current });
    expect(await call('POST', '', '"a"', rex)).toMatchObject({ status: 201 });
  });
});
