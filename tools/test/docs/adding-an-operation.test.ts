// An operation costs a description, a handler and tests: the steps of the page, in a copy of the repository.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { makeFolder, skips } from '@petstore/testing';
import { operations } from '@petstore/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Copy, copyOfRepository } from '../support/copy.ts';
import { run } from '../support/process.ts';
import { startServerProcess } from '../support/server.ts';
import { blocksOf, pattern } from './pages.ts';

const blocks = blocksOf('docs/adding-an-operation.md');
const textsOf = (wanted: string) =>
  blocks.filter(({ language }) => language === wanted).map(({ text }) => text);
const [description = ''] = textsOf('yaml');
const [handlers = '', tests = ''] = textsOf('ts');

let copy: Copy;
beforeAll(() => {
  copy = copyOfRepository();
  return () => copy.remove();
});

/** Adds lines to the end of the block whose first line begins with `start`. `end` tests the first line behind its content. */
function addTo(file: string, start: string, end: RegExp, added: string): void {
  copy.change(file, (text) => {
    const lines = text.split('\n');
    const first = lines.findIndex((line) => line.startsWith(start));
    const last = lines.findIndex((line, i) => i > first && end.test(line));
    if (first < 0 || last < 0) throw new Error(`${file} has no block that begins with ${start}`);
    return lines.toSpliced(last, 0, added.trimEnd()).join('\n');
  });
}

function compile(): string {
  const cwd = join(copy.folder, 'apps/server');
  const compiler = join(cwd, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [compiler, '--pretty', 'false'], { cwd, encoding: 'utf8' })
    .stdout;
}

// Each test goes on with what the one before has made.
describe.skipIf(
  skips(
    'docs/adding-an-operation.md',
    'updatePet' in operations ? 'it was followed here' : undefined,
  ),
)('the page', () => {
  test('the compiler reports the missing handlers once the operations are described', () => {
    addTo('spec/openapi.yaml', '  /pets/{petId}:', /^ {0,2}\S|^$/, description);
    copy.generate();
    const message = blocks.find(({ language }) => language === 'text')?.text ?? '';
    expect(compile().split('\n')[0]).toMatch(pattern(message));
  });

  test('the handlers and tests of the page compile', () => {
    addTo('apps/server/src/handlers.ts', 'export const handlers', /^}/, handlers);
    addTo('apps/server/test/contract.ts', 'export function contract', /^}/, tests);
    expect(compile()).toBe('');
  });

  test('the tests that the page adds pass', async () => {
    const cwd = join(copy.folder, 'apps/server');
    const vitest = join(cwd, 'node_modules/vitest/vitest.mjs');
    const env = { ...process.env, NO_COLOR: '1' };
    const output = await run(
      cwd,
      env,
      process.execPath,
      vitest,
      'run',
      'test/contract.test.ts',
      '-t',
      'updatePet|deletePet',
    );
    expect(output).toMatch(/Tests +\d+ passed/);
  });

  test('nothing drifts from what the spec now says', () => {
    const options = { cwd: copy.folder, encoding: 'utf8' } as const;
    // As `npm run generate` does.
    expect(spawnSync(process.execPath, ['tools/reference.ts'], options).stderr).toBe('');
    expect(spawnSync(process.execPath, ['tools/drift/main.ts'], options).stdout).toMatch(
      /^(D7.*\n)?Nothing drifts/,
    );
  });

  test('the server serves the operations, and the client and petctl call them', async () => {
    const data = makeFolder('walk');
    const server = await startServerProcess(data.folder, process.env, copy.folder);
    try {
      const baseUrl = `${server.origin}/v1`;
      const { petstore } = await import(join(copy.folder, 'packages/client/src/index.ts'));
      const store = petstore({ baseUrl, apiKey: server.key });
      await store.createPet({ name: 'Rex', categoryId: 2 });
      const tom = { name: 'Tom', categoryId: 1 };
      expect(await store.updatePet({ petId: 1, ...tom })).toEqual({ id: 1, ...tom });
      execFileSync(process.execPath, ['--run', 'build'], {
        cwd: join(copy.folder, 'apps/petctl'),
        stdio: 'pipe',
      });
      const env = {
        ...process.env,
        PETCTL_API_KEY: server.key,
        PETCTL_BASE_URL: baseUrl,
        XDG_CONFIG_HOME: data.folder,
      };
      const petctl = (...words: string[]) =>
        run(
          data.folder,
          env,
          process.execPath,
          join(copy.folder, 'apps/petctl/dist/petctl.js'),
          'pets',
          ...words,
        );
      const updated = await petctl(
        'update',
        '1',
        '--name',
        'Ida',
        '--category-id',
        '3',
        '-o',
        'json',
      );
      expect(JSON.parse(updated)).toEqual({ id: 1, name: 'Ida', categoryId: 3 });
      await petctl('delete', '1');
      await expect(store.deletePet({ petId: 1 })).rejects.toMatchObject({ status: 404 });
    } finally {
      await server.stop();
      data.remove();
    }
  });
});
