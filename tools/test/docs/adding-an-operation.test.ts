import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeep, makeFolder, skips } from '@petstore/testing';
import { operations } from '@petstore/types';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Reported } from '../../drift/check.ts';
import { textOf } from '../../repository.ts';
import { type Copy, copyOfRepository } from '../repository-copy.ts';
import { run } from '../support/process.ts';
import { type Server, startServerProcess } from '../support/server.ts';
import { blocksOf, pattern } from './pages.ts';

const page = 'docs/adding-an-operation.md';
const blocks = blocksOf(page);
const [described = '', ...written] = blocks.filter(({ language }) => language === 'diff').map(({ text }) => text);

/** Further operations, each as a patch on top of those before, by what the page calls them. */
const walks = Object.entries({
  '`PATCH` with a merge patch': 'patch',
  'a list as a filter': 'array-filter',
  'upload and download of a file': 'files',
  'a second collection': 'second-collection',
}).map(([name, file]) => ({ name, patch: readFileSync(join(import.meta.dirname, 'walks', `${file}.diff`), 'utf8') }));

const all = [{ name: '`PUT` and `DELETE`', patch: [described, ...written].join('') }, ...walks];

/** The lines that a patch adds or changes, by file. */
function linesOf(patch: string): Map<string, number> {
  const files = patch.split(/^--- a\//m).slice(1);
  return new Map(
    files.map((text) => [
      text.split('\n')[0] ?? '',
      text.split('\n').filter((line) => /^\+(?!\+\+)/.test(line)).length,
    ]),
  );
}

test.each(all)('the page counts what $name costs', ({ name, patch }) => {
  const { 'spec/openapi.yaml': spec = 0, ...others } = Object.fromEntries(linesOf(patch));
  const { 'apps/server/test/contract.ts': tests = 0, ...sources } = others;
  const {
    'apps/server/src/handlers.ts': handlers = 0,
    'apps/server/src/collections.ts': collections = 0,
    ...rest
  } = sources;
  expect(rest).toEqual({});
  const cells = [name, linesOf(patch).size, spec, handlers, collections, tests];
  const rows = textOf(page)
    .split('\n')
    .filter((line) => line.startsWith('| '));
  expect(rows).toContain(`| ${cells.join(' | ')} |`);
});

test('the changeset comes before npm test, which fails without one', () => {
  const commands = blocks.flatMap(({ language, text }) => (language === 'sh' ? text.split('\n') : []));
  expect(commands.indexOf('npm test')).toBeGreaterThan(commands.indexOf('npx changeset'));
});

const isOther = Object.keys(operations).join() !== 'listPets,createPet,getPet';
const cannotApply = skips(
  page,
  isOther ? 'the interface has other operations than those that its patches change' : undefined,
);

describe.skipIf(cannotApply)(`the steps of ${page}, in a copy of the repository`, () => {
  let copy: Copy;
  let server: string;
  let findings: Reported[];
  beforeAll(() => {
    copy = copyOfRepository();
    server = join(copy.folder, 'apps/server');
    if (isDeep) findings = copy.drift();
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
    expect(compile()).toMatch(pattern(message));
  });

  test('the other patches of the page apply, and what they make compiles', () => {
    for (const patch of written) apply(patch);
    if (isDeep) expect(compile()).toBe('');
  });

  // The quick run generates and compiles what they all make together.
  test.each(walks)('$name: the patch applies, and what it makes compiles', ({ patch }) => {
    apply(patch);
    if (isDeep) copy.generate();
    if (isDeep) expect(compile()).toBe('');
  });

  test('the code of all patches together compiles', () => {
    copy.generate();
    expect(compile()).toBe('');
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
      writeFileSync(join(data.folder, 'photo.png'), Buffer.from([0, 255, 10]));
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
    const json = { 'content-type': 'application/json' };

    test('PUT replaces, with If-Match only the version that it names', async () => {
      const tom = { name: 'Tom', categoryId: 1 };
      expect(await call('updatePet', { petId: 1, ...tom })).toEqual({ id: 1, ...tom });
      expect(await petctl('pets', 'update', '1', '--name', 'Ida', '--category-id', '3')).toMatchObject({ name: 'Ida' });
      const tag = (await http('GET', '/pets/1')).headers.get('etag') ?? '';
      const put = (version: string) => http('PUT', '/pets/1', { ...json, 'if-match': version }, JSON.stringify(tom));
      expect([(await put(tag)).status, (await put(tag)).status]).toEqual([200, 412]);
    });

    test('PATCH changes what is sent, and removes what is null', async () => {
      expect(await call('patchPet', { petId: 1, status: 'sold' })).toMatchObject({ name: 'Tom', status: 'sold' });
      expect(await petctl('pets', 'patch', '1', '--name', 'Max')).toMatchObject({ name: 'Max', status: 'sold' });
      const merge = { 'content-type': 'application/merge-patch+json' };
      const response = await http('PATCH', '/pets/1', merge, '{"status":null}');
      expect(await response.json()).toEqual({ id: 1, name: 'Max', categoryId: 1 });
      expect((await http('PATCH', '/pets/1', merge, '{}')).status).toBe(400);
    });

    test('a list is a filter', async () => {
      const sold = { name: 'Bo', categoryId: 4, status: 'sold' };
      await call('createPet', sold);
      expect(await call('findPets', { status: ['sold', 'pending'] })).toMatchObject([sold]);
      expect(await petctl('pets', 'find', '--status', 'sold', '--status', 'pending')).toMatchObject([sold]);
      expect(await (await http('GET', '/pets/find-by-status?status=sold')).json()).toMatchObject([sold]);
      expect((await http('GET', '/pets/find-by-status?status=sold&status=lost')).status).toBe(400);
      expect((await http('GET', '/pets/find-by-status')).status).toBe(400);
    });

    test('a file goes up, and comes down again as it was', async () => {
      const bytes = Buffer.from([0, 255, 10]);
      await petctl('pets', 'put-photo', '1', '--data', '@photo.png');
      const response = await http('GET', '/pets/1/photo');
      expect(response.headers.get('content-type')).toBe('image/png');
      expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
      await call('putPetPhoto', { petId: 1, body: new Blob(['new']) });
      expect(await new Response((await call('getPetPhoto', { petId: 1 })) as ReadableStream).text()).toBe('new');
      expect((await http('PUT', '/pets/1/photo', json, '{}')).status).toBe(415);
    });

    test('a second collection is listed page by page', async () => {
      const first = await call('createOrder', { petId: 1, note: 'soon' });
      const second = await petctl('orders', 'create', '--pet-id', '2');
      expect(await call('listOrders', {})).toEqual([first, second]);
      expect(await petctl('orders', 'list', '--pet-id', '2')).toEqual([second]);
      expect((await http('GET', '/orders?limit=1')).headers.get('link')).toBe('<?limit=1&after=1>; rel="next"');
    });

    test('a list has an ETag, and gets a 304 until a write', async () => {
      const tag = (await http('GET', '/orders')).headers.get('etag') ?? '';
      const status = async () => (await http('GET', '/orders', { 'if-none-match': tag })).status;
      expect([tag, await status()]).toEqual([expect.stringMatching(/^W\/".+"$/), 304]);
      await call('createOrder', { petId: 1 });
      expect(await status()).toBe(200);
    });

    test('DELETE removes, once', async () => {
      await petctl('pets', 'delete', '1');
      await expect(call('deletePet', { petId: 1 })).rejects.toMatchObject({ status: 404 });
      expect((await http('GET', '/pets/1')).status).toBe(404);
    });
  });

  if (isDeep) {
    test('the operations add no finding to the drift check, and every store satisfies their contract', async () => {
      expect(copy.drift()).toEqual(findings);
      const files = [
        'test/contract.test.ts',
        'test/store/memory.test.ts',
        'test/store/lowdb.test.ts',
        'test/postgres/postgres.test.ts',
      ];
      const env = { ...process.env, NO_COLOR: '1' };
      await run(server, env, join(server, 'node_modules/.bin/vitest'), 'run', ...files);
      const tools = join(copy.folder, 'tools');
      await run(tools, env, join(tools, 'node_modules/.bin/vitest'), 'run', 'test/spec-driven.test.ts');
    }, 300_000);
  }
});
