import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { isDeep, makeFolder, skips } from '@petstore/testing';
import { operations } from '@petstore/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Copy, copyOfRepository } from '../repository-copy.ts';
import { run } from '../support/process.ts';
import { type Server, startServerProcess } from '../support/server.ts';
import { blocksOf, pattern } from './pages.ts';

const page = 'docs/adding-an-operation.md';
const blocks = blocksOf(page);
const [described = '', ...written] = blocks.filter(({ language }) => language === 'diff').map(({ text }) => text);

const isOther = Object.keys(operations).join() !== 'listPets,createPet,getPet';
const cannotApply = skips(
  page,
  isOther ? 'the interface has other operations than those that its patches change' : undefined,
);

describe.skipIf(cannotApply)(`the steps of ${page}, in a copy of the repository`, () => {
  let copy: Copy;
  let server: string;
  beforeAll(() => {
    copy = copyOfRepository();
    server = join(copy.folder, 'apps/server');
    return () => copy.remove();
  });

  const apply = (patch: string) =>
    execFileSync('git', ['apply', '-'], { cwd: copy.folder, input: patch, stdio: ['pipe', 'pipe', 'pipe'] });
  const compile = () =>
    spawnSync(process.execPath, [join(server, 'node_modules/typescript/bin/tsc'), '--pretty', 'false'], {
      cwd: server,
      encoding: 'utf8',
    }).stdout;

  test('the compiler reports the missing handler once the operation is described', () => {
    apply(described);
    copy.generate();
    const message = blocks.find(({ language }) => language === 'text')?.text ?? '';
    const [first = ''] = compile().split('\n');
    expect(first).toMatch(pattern(message));
  });

  test('the other patches of the page apply, and what they make compiles', () => {
    for (const patch of written) apply(patch);
    if (isDeep) expect(compile()).toBe('');
  });

  describe('on a server, as its own process', () => {
    const data = makeFolder('walk');
    let running: Server;
    let store: Record<string, (input?: object) => Promise<unknown>>;
    beforeAll(async () => {
      running = await startServerProcess(data.folder, process.env, join(copy.folder, 'apps/server/src/main.js'));
      const { petstore } = await import(join(copy.folder, 'packages/client/src/index.ts'));
      store = petstore({ baseUrl: `${running.origin}/v1`, apiKey: running.key });
      await store.createPet?.({ name: 'Rex', categoryId: 2, status: 'available' });
      return async () => {
        await running.stop();
        data.remove();
      };
    });

    const call = (id: string, input: object) => store[id]?.(input);
    const http = (method: string, path: string, headers: object = {}, body?: string) =>
      fetch(`${running.origin}/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${running.key}`, ...headers },
        ...(body !== undefined && { body }),
      });
    const petctl = async (...words: string[]) => {
      const env = {
        ...process.env,
        PETCTL_API_KEY: running.key,
        PETCTL_BASE_URL: `${running.origin}/v1`,
        XDG_CONFIG_HOME: data.folder,
      };
      const main = join(copy.folder, 'apps/petctl/src/main.ts');
      const text = await run(data.folder, env, process.execPath, main, ...words, '--output', 'json');
      return text === '' ? undefined : JSON.parse(text);
    };
    test('PUT replaces', async () => {
      const tom = { name: 'Tom', categoryId: 1 };
      expect(await call('updatePet', { petId: 1, ...tom })).toEqual({ id: 1, ...tom });
      expect(await petctl('pets', 'update', '1', '--name', 'Ida', '--category-id', '3')).toMatchObject({ name: 'Ida' });
    });

    test('DELETE removes, once', async () => {
      await petctl('pets', 'delete', '1');
      await expect(call('deletePet', { petId: 1 })).rejects.toMatchObject({ status: 404 });
      expect((await http('GET', '/pets/1')).status).toBe(404);
    });
  });

  if (isDeep) {
    test('every store satisfies their contract', async () => {
      const files = [
        'test/contract.test.ts',
        'test/store/memory.test.ts',
        'test/store/lowdb.test.ts',
        'test/postgres/postgres.test.ts',
      ];
      const env = { ...process.env, NO_COLOR: '1' };
      await run(server, env, join(server, 'node_modules/.bin/vitest'), 'run', ...files);
    }, 300_000);
  }
});
