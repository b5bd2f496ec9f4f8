// P3: --limit is how many results, over pages; a list that is cut says so. P2: lists of any length in constant memory.
import { text } from 'node:stream/consumers';
import { rounds } from '@petstore/testing';
import { operations } from '@petstore/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { bash, startBinary } from './binary.ts';
import { petctl, start } from './run.ts';
import { errorReply, pageBefore, record, startService } from './services.ts';

const many = rounds(20_000, 100_000);
let env: Record<string, string>;
beforeAll(async () => {
  ({ env } = await startService(many));
});

const list = async (...args: string[]) => {
  const { code, stdout, stderr } = await petctl(['pets', 'list', '-o', 'jsonl', ...args], env);
  return {
    code,
    stderr,
    ids: stdout.split('\n').flatMap((line) => (line ? JSON.parse(line).id : [])),
  };
};

describe(`${many} pets`, () => {
  test('--all lists all in constant memory', async () => {
    const preload =
      "process.on('exit', () => process._rawDebug('peak ' + process.resourceUsage().maxRSS))";
    const child = startBinary(['pets', 'list', '--all', '-o', 'jsonl'], env, preload);
    let lines = 0;
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      lines += part.split('\n').length - 1;
    });
    const stderr = await text(child.stderr);
    expect(lines).toBe(many);
    // As objects, 100,000 pets take more than this; a run that holds one page takes far less.
    expect(Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024).toBeLessThan(150);
  });

  test('a list that is cut says so in a pipe, too, and what to type', async () => {
    const size = operations.listPets.fields.limit.schema.default;
    const { ids, stderr } = await list();
    expect(ids.length).toBe(size);
    expect(JSON.parse(stderr).notice.message).toMatch(
      `The list is cut after ${size}, and there may be more. Use --all or --limit <number>, or --after ${size} for`,
    );
    expect((await petctl(['pets', 'list', '--limit', '2'], env)).stderr).toMatch(
      /^petctl: The list is cut after 2, .*\n$/,
    );
    expect((await list('-q')).stderr).toBe('');
    expect((await list('--after', String(many - 2))).stderr).toBe('');
  });

  test('--limit is the total over pages, from the identifier of --after on', async () => {
    const { ids, stderr } = await list('--limit', '250', '--after', '10');
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([250, 11, 260]);
    expect(stderr).toContain('--after 260');
  });

  test('--jq filters each of many elements', async () => {
    const { stdout } = await petctl(['pets', 'list', '--all', '-o', 'jsonl', '--jq', '.name'], env);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`Pet ${many}`);
  });

  test('a closed pipe ends quietly', async () => {
    expect(await bash('petctl pets list --all -o jsonl | head -1', env)).toEqual({
      code: 0,
      stdout: '{"id":1,"name":"Pet 1","categoryId":0}\n',
      stderr: '',
    });
  });
});

describe('requests', () => {
  const page = Array.from({ length: 100 }, (_, i) => ({ id: i + 1 }));

  test('one for a page, and none only to learn whether there are more', async () => {
    const { requests, env } = await record(() => pageBefore('?after=2', page.slice(0, 2)));
    await petctl(['pets', 'list', '-v'], env);
    expect(requests.map(({ url }) => url)).toEqual(['/v1/pets']);
  });

  test('--limit asks for no more than it prints', async () => {
    const { requests, env } = await record((_, count) =>
      pageBefore(
        '?after=x',
        page.map(({ id }) => ({ id: id + count * 1000 })),
      ),
    );
    const { stdout } = await petctl(['pets', 'list', '--limit', '150', '-o', 'jsonl'], env);
    expect(stdout.trimEnd().split('\n').length).toBe(150);
    expect(requests.map(({ url }) => url)).toEqual([
      '/v1/pets?limit=100',
      '/v1/pets?limit=50&after=1100',
    ]);
  });

  test('--all asks for the largest pages, and for the next one before one is printed', async () => {
    const second = Promise.withResolvers<void>();
    const name = 'x'.repeat(1_000_000);
    const { requests, env } = await record((_, count) => {
      if (count === 2) second.resolve();
      return count < 3 ? pageBefore('?after=x', [{ id: count, name }]) : { body: [] };
    });
    const child = start(['pets', 'list', '--all', '-o', 'jsonl'], env);
    // Until now nobody reads the first page, which no pipe can hold.
    await second.promise;
    await text(child.stdout);
    expect(requests.map(({ url }) => url)).toEqual([
      '/v1/pets?limit=100',
      '/v1/pets?limit=100&after=1',
      '/v1/pets?limit=100&after=2',
    ]);
  });

  test.each([[[1]], [[1, 2]], [[1, 2, 3, 4, 5]]])(
    'a service that repeats the pages %j is an error',
    async (ids) => {
      const { env } = await record((_, count) =>
        pageBefore('?after=x', [{ id: ids[count % ids.length] }]),
      );
      expect(await petctl(['pets', 'list', '--all', '-o', 'jsonl'], env)).toMatchObject({
        code: 8,
        stderr: expect.stringContaining('repeats a page'),
      });
    },
  );
});

test.each([
  [['-o', 'jsonl'], '{"id":1}\n'],
  [['-o', 'json'], '[\n{"id":1}'],
  [['-o', 'csv', '--fields', 'id'], 'id\n1\n'],
  [['-o', 'table', '--fields', 'id'], 'ID\n1\n'],
  [['-o', 'jsonl', '--jq', '.id'], '1\n'],
])('the rows before a failing page are printed with %j', async (format, expected) => {
  const { env } = await record((_, count) =>
    count === 1 ? pageBefore('?after=1') : errorReply(404, 'not_found'),
  );
  expect(await petctl(['pets', 'list', '--all', ...format], env)).toMatchObject({
    code: 5,
    stdout: expected,
  });
  expect(await petctl(['pets', 'list', '--all', ...format], env)).toMatchObject({
    code: 5,
    stdout: '',
  });
});
