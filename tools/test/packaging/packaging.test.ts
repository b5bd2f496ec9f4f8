import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeep } from '@petstore/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundlers } from './bundles.ts';
import { bin, newProject, type Package, type Project, runIn } from './project.ts';
import { installRuntimes, machineNode, pinnedNode, type Runtime } from './runtimes.ts';
import { type Service, startService } from './service.ts';

const libraries = ['@petstore/types', '@petstore/client'] as const satisfies Package[];
const resolutions = [
  { resolution: 'node16', module: 'node16' },
  { resolution: 'bundler', module: 'esnext' },
];
// What takes many seconds, or needs a registry, is part of the deep run alone.
const packages: readonly Package[] = isDeep ? [...libraries, 'petctl'] : libraries;
const compilers = isDeep ? ['@typescript/native', 'typescript-6', 'typescript-5.9'] : ['@typescript/native'];
const usedBundlers = isDeep ? bundlers : { esbuild: bundlers.esbuild };

/** For downloads over a slow network. */
const INSTALL_TIMEOUT_MS = 300_000;

let project: Project;
let service: Service;
beforeAll(async () => {
  [project, service] = await Promise.all([newProject(packages), startService()]);
  return () => {
    service.stop();
    project.remove();
  };
}, INSTALL_TIMEOUT_MS);

/** What the programs of `consumers` print if all is well. */
const result = {
  listed: ['Rex', 'Tom', 'Ida'],
  everything: true,
  code: 'not_found',
  status: 404,
  known: true,
  named: true,
};
const use = async ({ command, args }: Runtime, script: string) =>
  JSON.parse(await runIn(project.folder, command, ...args, script, service.baseUrl, 'a-key'));

describe('the packages, packed and installed with npm in an empty project', () => {
  test.each(libraries)('%s contains only built code', async (name) => {
    const files = await readdir(join(project.folder, 'node_modules', name));
    expect(files.sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    const dist = await readdir(join(project.folder, 'node_modules', name, 'dist'), { recursive: true });
    expect(dist).toContain('index.js');
    expect(dist.filter((file) => file.includes('.') && !/\.(js|d\.ts)$|^cjs\/package\.json$/.test(file))).toEqual([]);
  });

  test.concurrent.each(libraries)('publint and attw accept %s', async (name) => {
    const { folder, tarballs } = project;
    const tarball = tarballs.get(name) ?? '';
    expect(await runIn(folder, bin('publint'), 'run', '--strict', tarball)).toContain('All good!');
    await runIn(folder, bin('attw'), tarball);
  });

  if (isDeep) {
    test('have the petctl command', async () => {
      const petctl = join('node_modules', '.bin', 'petctl');
      expect(await runIn(project.folder, petctl, 'pets', 'list', '--help')).toContain('--status');
    });
  }
});

describe('the types, in a strict project without the types of Node, with every declaration checked', () => {
  const modes = [
    ...compilers.flatMap((compiler) => resolutions.map((resolution) => ({ compiler, ...resolution }))),
    // The resolution of older projects. Later compilers have it no more.
    { compiler: 'typescript-5.9', resolution: 'node10', module: 'commonjs' },
  ];

  test.concurrent.each(modes)('$compiler accepts them with $resolution', async (mode) => {
    const compiler = join(import.meta.dirname, '../../node_modules', mode.compiler, 'bin/tsc');
    const options = {
      ...{ noEmit: true, strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true, types: [] },
      ...{ target: 'es2022', lib: ['es2022', 'dom'], module: mode.module, moduleResolution: mode.resolution },
    };
    const config = `${mode.compiler.replace('/', '-')}-${mode.resolution}.json`;
    await writeFile(join(project.folder, config), JSON.stringify({ compilerOptions: options, files: ['strict.ts'] }));
    expect(await runIn(project.folder, process.execPath, compiler, '-p', config)).toBe('');
  });
});

describe.each([pinnedNode, ...machineNode()])('$name', (node) => {
  test.concurrent.each(['esm.js', 'commonjs.cjs'])('runs %s', async (script) => {
    expect(await use(node, script)).toEqual(result);
  });

  test('knows an error of the ES modules by the class of the CommonJS ones, and the other way', async () => {
    expect(await use(node, 'both.mjs')).toEqual([true, true]);
  });
});

if (isDeep) {
  test(
    'the packages run in other runtimes',
    async () => {
      for (const runtime of await installRuntimes(project.elsewhere)) {
        expect(await use(runtime, 'esm.js'), runtime.name).toEqual(result);
      }
    },
    INSTALL_TIMEOUT_MS,
  );
}

describe.each(Object.entries(usedBundlers))('a bundle by %s', (_, bundle) => {
  const bundled = (program: string) => bundle(project.folder, program, project.elsewhere);

  test('runs alone', async () => {
    expect(await use(pinnedNode, await bundled('esm.js'))).toEqual(result);
  });
});
