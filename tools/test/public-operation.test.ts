import { expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { openProject } from '../drift/project.ts';
import { generateEverything } from '../generate/everything.ts';
import { startServer } from './support/server.ts';

const spec = 'spec/openapi.yaml';

test('an operation that needs no credential is sent without one, and served', async () => {
  const shipped = openProject();
  const document = parse(shipped.read(spec));
  document.paths['/pets'].post.security = [];
  const edited = shipped.with({ [spec]: stringify(document) });
  const project = edited.with(Object.fromEntries(await generateEverything(edited.spec.model)));
  const server = await project.load<typeof import('@petstore/server')>('@petstore/server');
  const { petstore } = await project.load<typeof import('@petstore/client')>('@petstore/client');

  const { origin, stop } = await startServer({}, server);
  onTestFinished(async () => void (await stop()));

  const store = petstore({ baseUrl: `${origin}/v1`, apiKey: '' });
  expect(await store.createPet({ name: 'Rex', categoryId: 1 })).toEqual({ id: 1, name: 'Rex', categoryId: 1 });
  await expect(store.listPets()).rejects.toThrow('listPets: set apiKey or credentials.bearer');
  expect((await fetch(`${origin}/v1/pets`)).status).toBe(401);
});
