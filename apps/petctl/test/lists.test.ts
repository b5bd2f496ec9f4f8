// `--limit` is how many results, over pages; a list that is cut says so. Lists are printed as they arrive.
import { text } from 'node:stream/consumers';
import { rounds } from '@petstore/testing';
import { operations } from '@petstore/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { petctl, start } from './run.ts';
import { errorReply, pageBefore, record, startService } from './services.ts';

const many = rounds(500, 100_000);
let env: Record<string, string>;
beforeAll(async () => {
  ({ env } = await startService(many));
});

const list = async (...args: string[]) => {
  const { code, stdout, stderr } = await petctl(['pets', 'list', '-o', 'jsonl', ...args], env);
  const lines = stdout.split('\n').filter(Boolean);
  return { code, stderr, ids: lines.map((line) => JSON.parse(line).id) };
};

describe(`${many} pets`, () => {
  test('--all lists all', async () => {
    const { ids, stderr } = await list('--all');
    expect({ ids: ids.length, last: ids.at(-1), stderr }).toEqual({
      ids: many,
      last: many,
      stderr: '',
    });
  });

  test('a list that is cut says so, and what to type, also in a pipe', async () => {
    const size = operations.listPets.fields.limit.schema.default;
    const { ids, stderr } = await list();
    expect(ids.length).toBe(size);
    expect(JSON.parse(stderr).notice.message).toMatch(
      `The list is cut after ${size}, and there may be more. Use --all or --limit <number>, or --after ${size} for`,
    );
    const { stderr: short } = await petctl(['pets', 'list', '--limit', '2'], env);
    expect(short).toContain('petctl: The list is cut after 2, ');
    expect((await list('-q')).stderr).toBe('');
    expect((await list('--after', String(many - 2))).stderr).toBe('');
  });

  test('--limit is the total over all pages, and --after is where the list begins', async () => {
    const { ids, stderr } = await list('--limit', '250', '--after', '10');
    expect({ ids: ids.length, first: ids[0], last: ids.at(-1) }).toEqual({
      ids: 250,
      first: 11,
      last: 260,
    });
    expect(stderr).toContain('--after 260');
  });

  test('--jq filters each of many elements', async () => {
    const { stdout } = await petctl(['pets', 'list', '--all', '-o', 'jsonl', '--jq', '.name'], env);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`Pet ${many}`);
  });
});

describe('requests', () => {
  const page = Array.from({ length: 100 }, (_, i) => ({ id: i + 1 }));

  test('are one for each page, and none only to find out whether there are more', async () => {
    const { requests, env } = await record(() => pageBefore('?after=2', page.slice(0, 2)));
    await petctl(['pets', 'list', '-v'], env);
    expect(requests.map(({ url }) => url)).toEqual(['/v1/pets']);
  });

  test('--limit prints no more than it says, and follows the links of the service', async () => {
    const { requests, env } = await record((_, count) =>
      pageBefore(`?limit=100&after=${count}100`, page),
    );
    const { stdout } = await petctl(['pets', 'list', '--limit', '150', '-o', 'jsonl'], env);
    expect(stdout.trimEnd().split('\n').length).toBe(150);
    const urls = requests.map(({ url }) => url);
    expect(urls).toEqual(['/v1/pets?limit=100', '/v1/pets?limit=100&after=1100']);
  });

  test('--all requests the largest pages, and requests the next page before it prints a page', async () => {
    const second = Promise.withResolvers<void>();
    const name = 'x'.repeat(1_000_000);
    const { requests, env } = await record((_, count) => {
      if (count === 2) second.resolve();
      return count < 3 ? pageBefore(`?after=${count}`, [{ id: count, name }]) : { body: [] };
    });
    const running = start(['pets', 'list', '--all', '-o', 'jsonl'], env);
    // Until now nobody reads the first page, which the stream cannot hold.
    await second.promise;
    await text(running.stdout);
    const urls = requests.map(({ url }) => url);
    expect(urls).toEqual(['/v1/pets?limit=100', '/v1/pets?after=1', '/v1/pets?after=2']);
  });

  test.each([[[1]], [[1, 2]], [[1, 2, 3, 4, 5]]])(
    'a service that repeats the pages %j is an error',
    async (ids) => {
      const { env } = await record((_, count) => {
        const id = ids[count % ids.length];
        return pageBefore(`?after=${id}`, [{ id }]);
      });
      expect(await petctl(['pets', 'list', '--all', '-o', 'jsonl'], env)).toMatchObject({
        code: 8,
        stderr: expect.stringContaining('the next page was read before'),
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
    count === 1 ? pageBefore('?after=1') : errorReply(400, 'invalid_request'),
  );
  const args = ['pets', 'list', '--all', ...format];
  expect(await petctl(args, env)).toMatchObject({ code: 6, stdout: expected });
  expect(await petctl(args, env)).toMatchObject({ code: 6, stdout: '' });
});
