import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { petstore } from '@petstore/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { root, textOf } from '../../repository.ts';
import { stop } from '../support/process.ts';
import { bin, newProject, type Project, runIn } from './project.ts';
import { installOldestNode, pinnedNode, type Runtime, runSuite } from './runtimes.ts';

/** For downloads over a slow network. */
const INSTALL_TIMEOUT_MS = 300_000;

const manifest = JSON.parse(textOf('apps/server/package.json'));
const folders = { '@petstore/spec': 'spec', '@petstore/types': 'packages/types', '@petstore/server': 'apps/server' };
const project: Project = await newProject(Object.keys(folders), folders);
afterAll(() => project.remove());
const mainOf = ({ folder }: Project) =>
  join(folder, 'node_modules/@petstore/server', manifest.publishConfig.bin['petstore-server']);
const nodes: Runtime[] = [pinnedNode, ...(await installOldestNode('apps/server', project.elsewhere))];

describe('the server, packed and installed with npm in an empty project', () => {
  test('is accepted by publint', async () => {
    const tarball = project.tarballs.get('@petstore/server') ?? '';
    expect(await runIn(project.folder, bin('publint'), 'run', '--strict', tarball)).toContain('All good!');
  });

  test('brings express along, and no package that reports installations', async () => {
    const packages = await readdir(join(project.folder, 'node_modules'));
    expect(packages).toContain('express');
    expect(packages.filter((name) => /scarf|swagger-ui/.test(name))).toEqual([]);
  });

  test('has types in a strict project', async () => {
    const program = `import { createServer, type RequestListener } from 'node:http';
import { createApp, parseKeys, keyCheck, memoryStore } from '@petstore/server';
const app: RequestListener = await createApp(memoryStore(), { keys: keyCheck(parseKeys('a-key')) });
createServer(app);
// @ts-expect-error: a store has to be given
await createApp();
`;
    await writeFile(join(project.folder, 'embedded.ts'), program);
    const options = {
      ...{ noEmit: true, strict: true, skipLibCheck: true, module: 'nodenext', target: 'es2024', types: ['node'] },
      ...{ typeRoots: [join(root, 'tools/node_modules/@types')] },
    };
    await writeFile(
      join(project.folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['embedded.ts'] }),
    );
    const compiler = join(root, 'tools/node_modules/@typescript/native/bin/tsc');
    expect(await runIn(project.folder, process.execPath, compiler)).toBe('');
  });
});

describe.each(nodes)('$name', ({ name, command }) => {
  const home = join(project.folder, name.replace(/\W/g, '-'));
  beforeAll(() => mkdir(home, { recursive: true }), INSTALL_TIMEOUT_MS);

  test('petstore-server serves, and nothing is lost when it is killed', async () => {
    const program = mainOf(project);
    const env = { PETSTORE_API_KEYS: 'me=a-key-that-is-for-tests' };
    const first = await started(command, program, home, env);
    const connect = (origin: string) => petstore({ baseUrl: `${origin}/v1`, apiKey: 'a-key-that-is-for-tests' });
    const pet = await connect(first.origin).createPet({ name: 'Rex', categoryId: 2n ** 63n - 1n });
    const page = await (await fetch(`${first.origin}/docs`)).text();
    const files = [...page.matchAll(/(?:src|href)="([^":]+\.(?:js|css))"/g)].map(([, file = '']) => file);
    expect(files).toContainEqual(expect.stringContaining('swagger-ui.css'));
    for (const file of files) expect((await fetch(new URL(file, `${first.origin}/docs`))).status, file).toBe(200);
    first.child.kill('SIGKILL');
    await once(first.child, 'close');
    const { origin } = await started(command, program, home, env);
    expect(await connect(origin).listPets()).toEqual([pet]);
  });

  // It serves the data of the test before.
  test('the example embeds the packed server in an Express program', async () => {
    await cp(join(root, 'examples/embed/main.mjs'), join(project.folder, 'main.mjs'));
    const env = { PETSTORE_API_KEYS: 'me=a-key-that-is-for-tests' };
    const { origin } = await started(command, join(project.folder, 'main.mjs'), home, env);
    expect(await (await fetch(`${origin}/hello`)).text()).toBe('Hello\n');
    const api = petstore({ baseUrl: `${origin}/v1`, apiKey: 'a-key-that-is-for-tests' });
    expect((await api.listPets()).map(({ name }) => name)).toEqual(['Rex']);
    expect((await fetch(`${origin}/elsewhere`)).status).toBe(404);
  });
});

/** Tests of the server that depend on Node's version: those that start it as a process, and those of HTTP, keys and stores. */
const SERVER_TESTS = [
  ...['main', 'drain', 'stopping', 'log-failures', 'contract'],
  ...['http', 'idempotency', 'keys', 'store'],
  ...['crash', 'order', 'health', 'failover', 'export-import'].map((name) => `postgres/${name}`),
].map((name) => `test/${name}`);

describe.each(nodes.slice(1))('the tests of the server, with the packed one on $name', ({ command }) => {
  test('pass', async () => {
    const env = {
      PETSTORE_TEST_NODE: command,
      PETSTORE_TEST_SERVER_MAIN: mainOf(project),
      // Node 22 warns of its SQLite module, and these tests compare what is printed. Some start their own programs in TypeScript.
      NODE_OPTIONS: '--disable-warning=ExperimentalWarning --experimental-strip-types',
    };
    // The folder of the packed server is closed to another user, and Node 22 never loads a module again whose import failed.
    const omitted = '--testNamePattern=^(?!.*(the user may not read|is loaded again for the next request))';
    await runSuite('apps/server', env, ...SERVER_TESTS, omitted);
  });
});

/** Starts a program that prints where it listens. */
async function started(node: string, program: string, cwd: string, env: Record<string, string>) {
  const child: ChildProcess = spawn(node, [program], {
    cwd,
    env: { PATH: process.env.PATH, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 600_000,
  });
  onTestFinished(() => stop(child));
  let said = '';
  const origin = await new Promise<string>((resolve, reject) => {
    const read = (text: Buffer) => {
      said += text;
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (found) resolve(found);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.on('close', (code) => reject(new Error(`It ended with ${code}: ${said}`)));
  });
  return { child, origin };
}
