import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundlers } from './bundles.ts';
import { bin, install, type Project, run } from './project.ts';
import { machineNode, otherRuntimes, pinnedNode, type Runtime } from './runtimes.ts';
import { type Serving, serving } from './serving.ts';

let project: Project;
let server: Serving;
beforeAll(async () => {
  [project, server] = await Promise.all([install(), serving()]);
}, 120_000);
afterAll(async () => {
  await server?.close();
  await project?.remove();
});

/** What the programs of `consumers` print when all is well. */
const seen = {
  listed: ['Rex', 'Tom', 'Ida'],
  everything: true,
  code: 'not_found',
  status: 404,
  known: true,
  named: true,
};
const use = async ({ command, args }: Runtime, script: string, cwd = project.folder) =>
  JSON.parse(await run(cwd, command, ...args, script, ...server.args));

describe('the packages, packed and installed with npm in an empty project', { timeout: 120_000 }, () => {
  test.each(['@petstore/types', '@petstore/client'])('%s holds built code and nothing else', async (name) => {
    const files = await readdir(join(project.folder, 'node_modules', name));
    expect(files.sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    const dist = await readdir(join(project.folder, 'node_modules', name, 'dist'), { recursive: true });
    expect(dist).toContain('index.js');
    expect(dist.filter((file) => file.includes('.') && !/\.(js|d\.ts)$/.test(file))).toEqual([]);
  });

  test.concurrent.each(['@petstore/types', '@petstore/client'] as const)('publint and attw accept %s', async (name) => {
    const { folder, tarballs } = project;
    expect(await run(folder, bin('publint'), 'run', '--strict', tarballs[name])).toContain('All good!');
    await run(folder, bin('attw'), '--profile', 'esm-only', tarballs[name]);
  });

  test('bring the petctl command', async () => {
    expect(await run(project.folder, join('node_modules', '.bin', 'petctl'), 'pets', 'list', '--help')).toContain(
      '--status',
    );
  });
});

describe('the types, in a strict project without the types of Node, with every declaration checked', () => {
  const modes = ['typescript-5.9', 'typescript-6', '@typescript/native'].flatMap((compiler) => [
    { compiler, resolution: 'bundler', module: 'esnext' },
    { compiler, resolution: 'node16', module: 'node16' },
  ]);

  test.concurrent.each(modes)('$compiler accepts them with $resolution', { timeout: 120_000 }, async (mode) => {
    const compiler = join(import.meta.dirname, '../../node_modules', mode.compiler, 'bin/tsc');
    const options = {
      ...{ noEmit: true, strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true, types: [] },
      ...{ target: 'es2022', lib: ['es2022', 'dom'], module: mode.module, moduleResolution: mode.resolution },
    };
    const config = `${mode.compiler.replace('/', '-')}-${mode.resolution}.json`;
    await writeFile(join(project.folder, config), JSON.stringify({ compilerOptions: options, files: ['strict.ts'] }));
    expect(await run(project.folder, process.execPath, compiler, '-p', config)).toBe('');
  });
});

describe.each([pinnedNode, ...machineNode()])('$name', { timeout: 60_000 }, (node) => {
  test.concurrent.each(['esm.js', 'commonjs.cjs'])('runs %s', async (script) => {
    expect(await use(node, script)).toEqual(seen);
  });
});

test('Bun and Deno run them', { timeout: 120_000 }, async () => {
  for (const runtime of await otherRuntimes(project.elsewhere)) {
    expect(await use(runtime, 'esm.js'), runtime.name).toEqual(seen);
  }
});

describe.each(Object.entries(bundlers))('a bundle by %s', { timeout: 60_000 }, (_, bundle) => {
  const bundled = (program: string) => bundle(project.folder, program, project.elsewhere);

  test('runs alone', async () => {
    expect(await use(pinnedNode, await bundled('esm.js'))).toEqual(seen);
  });

  test('holds no operation that is not used', async () => {
    const code = await readFile(await bundled('one-call.js'), 'utf8');
    expect(code).toContain('listPets');
    expect(code).not.toMatch(/createPet|getPet|categoryId/);
  });
});
