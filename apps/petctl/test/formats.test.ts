import { beforeAll, describe, expect, test } from 'vitest';
import { outputs } from '../src/settings/settings.ts';
import { bash, petctl, start } from './petctl.ts';
import { pageBefore, type Reply, record, serving } from './recorder.ts';

let env: Record<string, string>;
const unsafeName = 'A\u001b]0;title\u0007\ttab "quoted", \u009b31m\u202e\n日本😀';
const pets = [
  { id: 1, name: 'Rex', categoryId: 2, status: 'available' },
  { id: 2, name: unsafeName, categoryId: -5 },
  { id: 3, name: 'true', categoryId: 7, status: 'sold' },
];

beforeAll(async () => {
  ({ env } = await record(serving(pets)));
});

const list = async (...args: string[]) => {
  const { code, stdout, stderr } = await petctl(['pets', 'list', ...args], { env });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};

describe('every format', () => {
  test.each(outputs)('%s escapes control characters', async (output) => {
    const text = await list('-o', output);
    expect(text).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e]/u);
    expect(text).toContain('日本😀');
  });

  test('json and jsonl are the exact data', async () => {
    expect(JSON.parse(await list('-o', 'json'))).toEqual(pets);
    expect(
      (await list('-o', 'jsonl'))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(pets);
  });

  test('tsv is the default in a pipe: without a header, never shortened', async () => {
    const text = await list();
    expect(text).toBe(await list('-o', 'tsv'));
    expect(text.split('\n')[0]).toBe('1\tRex\t2\tavailable');
    expect(text.split('\n').length).toBe(pets.length + 1);
  });

  test('csv has a header and quotes where needed', async () => {
    const [header, first, second] = (await list('-o', 'csv')).split('\n');
    expect([header, first]).toEqual(['id,name,categoryId,status', '1,Rex,2,available']);
    expect(second).toContain('""quoted"", ');
  });

  test.each([
    ['tsv', 'Rex\t1\n'],
    ['csv', 'name,id\nRex,1\n'],
    ['jsonl', '{"name":"Rex","id":1}\n'],
    ['json', '[\n{"name":"Rex","id":1}\n]\n'],
    ['table', 'NAME  ID\nRex   1\n'],
  ])('%s contains only the properties of --fields', async (output, expected) => {
    expect(await list('--status', 'available', '--fields', 'name,id', '-o', output)).toBe(expected);
  });

  test.each([
    ['json', '[]\n'],
    ['jsonl', ''],
    ['tsv', ''],
    ['csv', 'id,name,categoryId,status\n'],
    ['table', 'ID  NAME  CATEGORY ID  STATUS\n'],
  ])('%s of an empty list is %j', async (output, expected) => {
    expect(await list('--status', 'pending', '-o', output)).toBe(expected);
  });
});

describe('--jq', () => {
  test('gets the whole result, or each element with jsonl', async () => {
    expect(await list('--jq', '[.[].id] | add')).toBe('6\n');
    expect(await list('--jq', '.name', '-o', 'jsonl', '--status', 'available')).toBe('Rex\n');
    expect(await list('--all', '--jq', 'length')).toBe('3\n');
    expect(await list('--jq=-length')).toBe('-3\n');
  });

  test.each(['.[', '.[] | nope'])('rejects %j before anything is sent', async (filter) => {
    const { code, stderr } = await petctl(['pets', 'list', '--jq', filter, '--base-url', 'http://127.0.0.1:1/v1'], {
      env,
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^petctl: --jq: .*\n$/);
  });

  test('says where a filter is malformed', async () => {
    const { stderr } = await petctl(['pets', 'list', '--jq', '.a b'], { env });
    expect(stderr).toContain('line 1, column 4.');
  });

  test('a filter that fails on a result has an error that says that the request succeeded', async () => {
    const { code, stderr } = await petctl(['pets', 'list', '--jq', '.[].name | tonumber'], { env });
    expect(code).toBe(1);
    expect(stderr).not.toContain('/dev/stdin');
    expect(stderr).toMatch(/^petctl: --jq: .* The request itself succeeded: fix the filter\.\n$/);
  });

  test('a filter that ends with the code of a syntax error has failed on a result, too', async () => {
    const { code, stderr } = await petctl(['pets', 'list', '--jq', '"no pet"|halt_error(3)'], { env });
    expect([code, stderr]).toEqual([1, 'petctl: --jq: no pet. The request itself succeeded: fix the filter.\n']);
  });

  test('results of a page are printed before the next page arrives', async () => {
    let replyWithLast = () => {};
    const last = new Promise<Reply>((resolve) => {
      replyWithLast = () => resolve({ body: [{ id: 2 }] });
    });
    const { env } = await record((_, count) => (count === 1 ? pageBefore('?after=1') : last));
    const child = start(['pets', 'list', '--all', '-o', 'jsonl', '--jq', '.id'], { env });
    let printed = '';
    for await (const text of child.stdout.setEncoding('utf8')) {
      printed += text;
      replyWithLast();
    }
    expect(printed).toBe('1\n2\n');
  });

  test('a filter with endless recursion is an error', async () => {
    const { code, stderr } = await petctl(['pets', 'list', '--jq', 'def f: [f]; f'], { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/petctl: --jq: the filter needs too much memory\. Check it for endless recursion\.\n$/);
  });

  test('escapes control characters, too', async () => {
    expect(await list('--jq', '.[1].name')).not.toContain('\u001b');
  });
});

test('output has colours only on request', async () => {
  const bold = '\u001b[1m';
  const table = ['pets', 'list', '-o', 'table'];
  const isBold = async (args: string[], more: Record<string, string> = {}) =>
    (await petctl([...table, ...args], { env: { ...env, ...more } })).stdout.startsWith(bold);
  expect(await Promise.all([isBold([]), isBold(['--color']), isBold([], { FORCE_COLOR: '1' })])).toEqual([
    false,
    true,
    true,
  ]);
  expect(await isBold([], { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
  expect(await isBold(['--color'], { NO_COLOR: '1' })).toBe(true);
  expect(await isBold(['--no-color'], { FORCE_COLOR: '1' })).toBe(false);
});

test('help uses the same settings for colours', async () => {
  const isBold = async (args: string[], more: Record<string, string> = {}) =>
    (await petctl(['pets', 'list', '--help', ...args], { env: more })).stdout.includes('\u001b[1m');
  expect(await isBold([])).toBe(false);
  expect(await Promise.all([isBold(['--color']), isBold([], { FORCE_COLOR: '1' })])).toEqual([true, true]);
  expect(
    await Promise.all([isBold(['--no-color'], { FORCE_COLOR: '1' }), isBold(['--color=false'], { FORCE_COLOR: '1' })]),
  ).toEqual([false, false]);
});

test.skipIf(process.platform !== 'linux').each(['pets list', '--version'])(
  'a full disk is an error: %s',
  async (line) => {
    const { code, stderr } = await bash(`petctl ${line} > /dev/full`, env);
    expect([code, stderr]).toEqual([1, 'petctl: The results could not be written (ENOSPC). Check for a full disk.\n']);
  },
);
