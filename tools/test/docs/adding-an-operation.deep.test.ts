// An operation, a resource and a filter cost a description, handlers and tests: the steps of the page, in a copy of the repository.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { makeFolder, skips } from '@petstore/testing';
import { operations } from '@petstore/types';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Copy, copyOfRepository } from '../support/copy.ts';
import { run } from '../support/process.ts';
import { startServerProcess } from '../support/server.ts';
import { blocksOf, pattern } from './pages.ts';

const blocks = blocksOf('docs/adding-an-operation.md');
const textsOf = (wanted: string) =>
  blocks.filter(({ language }) => language === wanted).map(({ text }) => text);
const [operationSpec = '', paths = '', schemas = '', parameter = '', property = ''] =
  textsOf('yaml');
const [
  operationHandlers = '',
  operationTests = '',
  collection = '',
  resourceHandlers = '',
  resourceTests = '',
  collectionWithFilter = '',
  filterTests = '',
] = textsOf('ts');

const spec = 'spec/openapi.yaml';
const handlers = 'apps/server/src/handlers.ts';
const contract = 'apps/server/test/contract.ts';

let copy: Copy;
beforeAll(() => {
  copy = copyOfRepository();
  return () => copy.remove();
});

/** Adds lines to the end of the block whose first line begins with `start`: all lines that follow with more indentation. */
function addTo(file: string, start: string, added: string): void {
  copy.change(file, (text) => {
    const lines = text.split('\n');
    const first = lines.findIndex((line) => line.startsWith(start));
    if (first < 0) throw new Error(`${file} has no line that begins with ${start}`);
    const isBehind = (line: string) =>
      line.trim() !== '' && indentationOf(line) <= indentationOf(start);
    let end = lines.findIndex((line, i) => i > first && isBehind(line));
    while (lines[end - 1]?.trim() === '') end--;
    return lines.toSpliced(end, 0, added.trimEnd()).join('\n');
  });
}

function indentationOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Replaces the line that begins with `start`. */
function replaceLine(file: string, start: string, line: string): void {
  copy.change(file, (text) => {
    const lines = text.split('\n').map((each) => (each.startsWith(start) ? line.trimEnd() : each));
    return lines.join('\n');
  });
}

function compile(): string {
  const cwd = join(copy.folder, 'apps/server');
  const compiler = join(cwd, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '--pretty', 'false'];
  return spawnSync(process.execPath, args, { cwd, encoding: 'utf8' }).stdout;
}

const reason = 'updatePet' in operations ? 'it was followed here' : undefined;

// Each test goes on with what the one before has made.
describe.skipIf(skips('docs/adding-an-operation.md', reason))('the page', () => {
  test('the compiler reports the missing handlers once the operations are described', () => {
    addTo(spec, '  /pets/{petId}:', operationSpec);
    copy.generate();
    const message = blocks.find(({ language }) => language === 'text')?.text ?? '';
    expect(compile().split('\n')[0]).toMatch(pattern(message));
  });

  test('an operation, a resource and a filter compile', () => {
    addTo(spec, 'paths:', paths);
    addTo(spec, '  schemas:', schemas);
    addTo(spec, '      parameters:', parameter);
    for (const schema of ['NewPet', 'Pet']) addTo(spec, `    ${schema}:`, property);
    copy.generate();
    addTo(handlers, 'export const collections', collection);
    replaceLine(handlers, '  pets: ', collectionWithFilter);
    addTo(handlers, 'export const handlers', operationHandlers);
    addTo(handlers, 'export const handlers', resourceHandlers);
    for (const tests of [operationTests, resourceTests, filterTests])
      addTo(contract, 'export function contract', tests);
    expect(compile()).toBe('');
  });

  test('the tests that the page adds pass, with all other tests of the contract', async () => {
    const cwd = join(copy.folder, 'apps/server');
    const vitest = join(cwd, 'node_modules/vitest/vitest.mjs');
    const env = { ...process.env, NO_COLOR: '1' };
    const args = [vitest, 'run', 'test/contract.test.ts'];
    expect(await run(cwd, env, process.execPath, ...args)).toMatch(/Tests +\d+ passed/);
  });

  test('nothing drifts from what the spec now says', () => {
    const options = { cwd: copy.folder, encoding: 'utf8' } as const;
    // As `npm run generate` does.
    const reference = spawnSync(process.execPath, ['tools/reference.ts'], options);
    expect(reference.stderr).toBe('');
    const drift = spawnSync(process.execPath, ['tools/drift/main.ts'], options);
    expect(drift.stdout).toContain('Nothing drifts');
  });

  test('the server serves the operations, and the client and petctl call them', async () => {
    const { folder, remove } = makeFolder('walk');
    onTestFinished(remove);
    const server = await startServerProcess(folder, process.env, copy.folder);
    onTestFinished(async () => {
      await server.stop();
    });
    const baseUrl = `${server.origin}/v1`;
    const { petstore } = await import(join(copy.folder, 'packages/client/src/index.ts'));
    const store = petstore({ baseUrl, apiKey: server.key });
    await store.createPet({ name: 'Rex', categoryId: 2, tag: 'calm' });
    const dogs = await store.createCategory({ title: 'Dogs' });
    expect(await store.listCategories()).toEqual([dogs]);
    expect(await store.listPets({ tag: 'wild' })).toEqual([]);

    const env = {
      ...process.env,
      PETCTL_API_KEY: server.key,
      PETCTL_BASE_URL: baseUrl,
      XDG_CONFIG_HOME: folder,
    };
    const main = join(copy.folder, 'apps/petctl/src/main.ts');
    const petctl = (...words: string[]) => run(folder, env, process.execPath, main, ...words);
    const change = ['--name', 'Ida', '--category-id', '3', '-o', 'json'];
    const updated = await petctl('pets', 'update', '1', ...change);
    expect(JSON.parse(updated)).toEqual({ id: 1, name: 'Ida', categoryId: 3 });
    expect(await petctl('categories', 'list', '-o', 'csv')).toBe('id,title\n1,Dogs\n');
    await petctl('pets', 'delete', '1');
    await expect(store.deletePet({ petId: 1 })).rejects.toMatchObject({ status: 404 });
  });
});
