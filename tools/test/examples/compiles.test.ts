import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../../repository.ts';
import { run } from '../support/process.ts';
import { newProject } from '../support/project.ts';

test('the examples compile in a strict project that has the packages', async () => {
  const { folder, remove } = await newProject();
  onTestFinished(remove);
  const compilerOptions = {
    ...{ allowJs: true, checkJs: true, noEmit: true, strict: true, exactOptionalPropertyTypes: true },
    ...{ target: 'es2024', lib: ['es2024', 'dom', 'dom.iterable'], module: 'nodenext', types: ['node'] },
    typeRoots: [join(root, 'tools/node_modules/@types')],
  };
  const config = { compilerOptions, include: ['*.mjs', 'browser/*.js'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(root, 'tools/node_modules/@typescript/native/bin/tsc');
  expect(await run(folder, process.env, process.execPath, compiler)).toBe('');
});
