// The packed server installs from the registry with what it needs, runs, and can be embedded.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { petstore } from '@petstore/client';
import { apiKey, startServer } from '@petstore/testing/server';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { root, textOf } from '../../repository.ts';
import { bin, newProject, type Project, runIn } from './project.ts';

const manifest = JSON.parse(textOf('apps/server/package.json'));

let project: Project;
beforeAll(async () => {
  project = await newProject('server');
});
afterAll(() => project.remove());

test('is accepted by publint, and brings no package that reports installations', async () => {
  for (const tarball of project.tarballs.filter((file) => file.includes('petstore-server')))
    expect(await runIn(project.folder, bin('publint'), 'run', '--strict', tarball)).toContain(
      'All good!',
    );
  const packages = await readdir(join(project.folder, 'node_modules'));
  expect(packages).toContain('express');
  expect(packages.filter((name) => /scarf|swagger-ui/.test(name))).toEqual([]);
});

test('serves its client', async () => {
  const main = manifest.publishConfig.bin['petstore-server'];
  const server = await startServer(join(project.folder, 'node_modules/@petstore/server', main));
  onTestFinished(() => server.kill());
  const store = petstore({ baseUrl: server.baseUrl, apiKey });
  const pet = await store.createPet({ name: 'Rex', categoryId: 2n ** 60n });
  expect(await store.listPets().collect()).toEqual([pet]);
});

test('has types in a strict project', async () => {
  const program = `import { createApp } from '@petstore/server';
export const app: (...args: never[]) => unknown = createApp;
// @ts-expect-error: a store has to be given
createApp();
`;
  await writeFile(join(project.folder, 'embedded.ts'), program);
  const compilerOptions = {
    ...{
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      module: 'nodenext',
      target: 'es2024',
      types: ['node'],
    },
    ...{ typeRoots: [join(root, 'tools/node_modules/@types')] },
  };
  await writeFile(
    join(project.folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['embedded.ts'] }),
  );
  const compiler = join(root, 'tools/node_modules/@typescript/native/bin/tsc');
  expect(await runIn(project.folder, process.execPath, compiler)).toBe('');
});
