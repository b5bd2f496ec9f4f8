// The packed client is documented, and works as ES modules and CommonJS, typed, bundled, and in all runtimes. One command packs it.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { operations } from '@petstore/types';
import { build as esbuild } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../repository.ts';
import { bin, installRuntimes, newProject, type Project, runIn, startService } from './project.ts';

const compilers = ['@typescript/native', 'typescript-6', 'typescript-5.9'];

let project: Project;
let service: Awaited<ReturnType<typeof startService>>;
beforeAll(async () => {
  [project, service] = await Promise.all([newProject('client', '--offline'), startService()]);
  return () => {
    service.stop();
    project.remove();
  };
});

/** What a program of `consumers` prints in a runtime. */
const outputOf = async (script: string, command = process.execPath, args: readonly string[] = []) =>
  JSON.parse(await runIn(project.folder, command, ...args, script, service.baseUrl));
const result = {
  listed: ['1', String(2n ** 60n), '3'],
  ...{ name: 'NotFoundError', code: 'not_found', attempts: 1, known: true, fake: [] },
  pages: [[2, true]],
  printed: '{"id":1152921504606846976}',
};

test.each(['esm.js', 'commonjs.cjs'])('the client runs as %s', async (script) => {
  expect(await outputOf(script)).toEqual(result);
});

test('the classes of its ES modules know an error of its CommonJS modules, and the other way around', async () => {
  expect(await outputOf('both.mjs')).toEqual([true, true]);
});

test('publint and attw accept the tarballs', async () => {
  for (const tarball of project.tarballs) {
    expect(await runIn(project.folder, bin('publint'), 'run', '--strict', tarball)).toContain(
      'All good!',
    );
    await runIn(project.folder, bin('attw'), tarball);
  }
});

test('editors show what each method gives, and what is deprecated', async () => {
  const types = join(project.folder, 'node_modules/@petstore/client/dist/gen/calls.gen.d.ts');
  const methods = (await readFile(types, 'utf8')).split('/**');
  // The last overload is the usual one.
  const docsOf = (method: string) => methods.findLast((text) => text.includes(` ${method}(`));
  expect(docsOf('listPets')).toContain('@returns With `await`, the first page.');
  expect(docsOf('createPet')).toContain('The client itself sends an idempotency key');
  expect(docsOf('createPet')).toContain('@returns The added animal');
  expect(docsOf('getPet')).toContain('@returns The animal.');
  expect(docsOf('getPet')).toContain('@deprecated since');
});

test('editors show the range and the default of a parameter, and no header that the client handles', async () => {
  const folder = join(project.folder, 'node_modules/@petstore');
  const types = await readFile(join(folder, 'types/dist/gen/types.gen.d.ts'), 'utf8');
  const { minimum, maximum, default: usual } = operations.listPets.fields.limit.schema;
  expect(types).toContain(`returned. From ${minimum} to ${maximum}. Default: ${usual}.`);
  const methods = await readFile(join(folder, 'client/dist/gen/calls.gen.d.ts'), 'utf8');
  for (const word of ['`Link`', '`Idempotency-Key`', 'GET /pets'])
    expect(methods).not.toContain(word);
});

test('the types that the client exports are no values of another package', async () => {
  const index = join(project.folder, 'node_modules/@petstore/client/dist/index.d.ts');
  const exported = await readFile(index, 'utf8');
  expect(exported).not.toContain("* from '@petstore");
});

test('npm refuses to pack what only the command can pack', async () => {
  const pack = runIn(join(root, 'packages/client'), 'npm', 'pack', '--dry-run');
  await expect(pack).rejects.toThrow('run "npm run pack -- client"');
});

describe('the types, in a strict project without the types of Node, with every declaration checked', () => {
  const modes = [
    ...compilers.map((compiler) => ({ compiler, resolution: 'node16', module: 'node16' })),
    ...compilers.map((compiler) => ({ compiler, resolution: 'bundler', module: 'esnext' })),
    // The resolution of older projects. Later compilers have it no more.
    { compiler: 'typescript-5.9', resolution: 'node10', module: 'commonjs' },
  ];
  test.each(modes)(
    '$compiler accepts them with $resolution',
    async ({ compiler, resolution, module }) => {
      const compilerOptions = {
        ...{
          noEmit: true,
          strict: true,
          skipLibCheck: false,
          exactOptionalPropertyTypes: true,
          types: [],
        },
        ...{ target: 'es2022', lib: ['es2022', 'dom'], module, moduleResolution: resolution },
      };
      const config = `${compiler.replace('/', '-')}-${resolution}.json`;
      await writeFile(
        join(project.folder, config),
        JSON.stringify({ compilerOptions, files: ['strict.ts'] }),
      );
      const tsc = join(root, 'tools/node_modules', compiler, 'bin/tsc');
      expect(await runIn(project.folder, process.execPath, tsc, '-p', config)).toBe('');
    },
  );
});

describe('a bundle', () => {
  const options = { bundle: true, minify: true, format: 'esm' } as const;

  test('by esbuild runs alone', async () => {
    const outfile = join(project.folder, 'bundle.mjs');
    await esbuild({
      ...options,
      entryPoints: [join(project.folder, 'esm.js')],
      outfile,
      target: 'es2022',
    });
    expect(await outputOf(outfile)).toEqual(result);
  });

  test('of petstore() with everything has at most 6,000 bytes, and no table of operations', async () => {
    const contents = "export { petstore } from '@petstore/client';";
    const stdin = { contents, resolveDir: project.folder };
    const {
      outputFiles: [file],
    } = await esbuild({ ...options, stdin, write: false });
    // For the three operations of today.
    const more = Object.keys(operations).length - 3;
    expect(gzipSync(file?.contents ?? '').length).toBeLessThanOrEqual(6_000 + 50 * more);
    expect(file?.text).not.toContain('Availability');
  });

  test('by Vite runs alone', async () => {
    const { build } = await import('vite');
    const lib = { entry: 'esm.js', formats: ['es' as const], fileName: 'vite' };
    await build({
      root: project.folder,
      configFile: false,
      logLevel: 'warn',
      build: { lib, minify: true },
    });
    expect(await readFile(join(project.folder, 'dist/vite.js'), 'utf8')).not.toMatch(/from ?["']/);
    expect(await outputOf('dist/vite.js')).toEqual(result);
  });
});

test('the client runs in other runtimes', async () => {
  for (const { name, command, args } of await installRuntimes(join(project.folder, 'runtimes')))
    expect(await outputOf('esm.js', command, args), name).toEqual(result);
});
