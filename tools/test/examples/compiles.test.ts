import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../docs/pages.ts';
import { newProject } from '../docs/project.ts';

test('the compiler finds nothing wrong with the examples, in a strict project that has the packages', async () => {
  const { folder, remove } = await newProject();
  try {
    const compilerOptions = {
      ...{ allowJs: true, checkJs: true, noEmit: true, strict: true, exactOptionalPropertyTypes: true },
      ...{ target: 'es2024', lib: ['es2024', 'dom', 'dom.iterable'], module: 'nodenext', types: ['node'] },
      typeRoots: [join(root, 'tools/node_modules/@types')],
    };
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['*.mjs', 'browser/*.js'] }),
    );
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(root, 'tools/node_modules/@typescript/native/bin/tsc'), '-p', folder],
      {
        encoding: 'utf8',
      },
    );
    expect(stdout).toBe('');
    expect(status).toBe(0);
  } finally {
    await remove();
  }
});
