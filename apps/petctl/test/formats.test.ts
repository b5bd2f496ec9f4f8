// A table on a terminal; tab-separated, JSON, JSON Lines and CSV for pipes; --fields, --jq; control characters escaped.
import { beforeAll, describe, expect, test } from 'vitest';
import { petctl, runToEnd, start } from './run.ts';
import { pageBefore, type Reply, record } from './services.ts';

const outputs = ['table', 'tsv', 'json', 'jsonl', 'csv'];
const unsafeName = 'A\u001b]0;title\u0007\ttab "quoted", \u009b31m\u202e\n日本😀';
const pets = [
  { id: 1, name: 'Rex', categoryId: 2, status: 'available' },
  { id: 2, name: unsafeName, categoryId: -5 },
  { id: 3, name: 'true', categoryId: 7, status: 'sold' },
];

let env: Record<string, string>;
beforeAll(async () => {
  ({ env } = await record(({ url }) => {
    const status = new URL(url, 'http://x').searchParams.get('status');
    return { body: pets.filter((pet) => status === null || pet.status === status) };
  }));
});

const list = async (...args: string[]) => {
  const { code, stdout, stderr } = await petctl(['pets', 'list', ...args], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};

const columns = 'id,name,categoryId,status';

describe('in a pipe', () => {
  test.each(outputs)('%s escapes control characters', async (output) => {
    const text = await list('-o', output);
    expect(text).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e]/u);
    expect(text).toContain('日本😀');
  });

  test('json and jsonl are the exact data', async () => {
    expect(JSON.parse(await list('-o', 'json'))).toEqual(pets);
    const lines = (await list('-o', 'jsonl')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(pets);
    const max = '9223372036854775807';
    const { env } = await record(() => ({ body: `[{"id":1,"categoryId":${max}}]` }));
    for (const output of outputs)
      expect((await petctl(['pets', 'list', '-o', output], env)).stdout).toContain(max);
  });

  test('tsv is the default: one line for each row, without a header, and never cut', async () => {
    const text = await list('--fields', columns);
    expect(text).toBe(await list('-o', 'tsv', '--fields', columns));
    expect([text.split('\n')[0], text.split('\n').length]).toEqual([
      '1\tRex\t2\tavailable',
      pets.length + 1,
    ]);
  });

  test('csv has a header, and quotes where they are needed', async () => {
    const text = await list('-o', 'csv', '--fields', columns);
    const [header, first, second] = text.split('\n');
    expect({ header, first }).toEqual({ header: columns, first: '1,Rex,2,available' });
    expect(second).toContain('""quoted"", ');
  });

  test.each([
    ['tsv', 'Rex\t1\n', ''],
    ['csv', 'name,id\nRex,1\n', 'name,id\n'],
    ['jsonl', '{"name":"Rex","id":1}\n', ''],
    ['json', '[\n{"name":"Rex","id":1}\n]\n', '[]\n'],
    ['table', 'NAME  ID\nRex   1\n', 'NAME  ID\n'],
  ])(
    '%s contains only the members of --fields, and an empty list is right',
    async (output, expected, empty) => {
      expect(await list('--status', 'available', '--fields', 'name,id', '-o', output)).toBe(
        expected,
      );
      expect(await list('--status', 'pending', '--fields', 'name,id', '-o', output)).toBe(empty);
    },
  );
});

describe('--jq', () => {
  test('gets the whole result, or each element with jsonl', async () => {
    expect(await list('--jq', '[.[].id] | add')).toBe('6\n');
    expect(await list('--jq', '.name', '-o', 'jsonl', '--status', 'available')).toBe('Rex\n');
    expect(await list('--all', '--jq', 'length')).toBe('3\n');
    expect(await list('--jq=-length')).toBe('-3\n');
  });

  const texts = [
    '',
    'b',
    '',
    ' x  ',
    'tab\t',
    'two\nlines\n',
    '\u0000\u001b\u202e',
    '"',
    '\\n',
    '',
  ];
  test('prints strings byte for byte as jq does', async () => {
    const { env } = await record(() => ({ body: texts.map((name, id) => ({ id, name })) }));
    const jq = async (...args: string[]) => (await petctl(['pets', 'list', ...args], env)).stdout;
    const expected = texts.map((text) => `${text}\n`).join('');
    expect(await jq('--jq', '.[].name')).toBe(expected);
    expect(await jq('--jq', '.name', '-o', 'jsonl')).toBe(expected);
    expect(await jq('--jq', '.[0].name')).toBe('\n');
    expect(await jq('--jq', 'empty')).toBe('');
    expect(await jq('--jq', '.[4]')).toBe('{"id":4,"name":"tab\\t"}\n');
  });

  test('escapes control characters on a terminal', async () => {
    const args = ['pets', 'list', '--jq', '.[1].name'];
    const { stdout } = await runToEnd(args, env, '', { stdout: true });
    expect(stdout).toBe('A\\u001b]0;title\\u0007\ttab "quoted", \\u009b31m\\u202e\n日本😀\n');
  });

  test.each([['.['], ['.[] | nope'], ['.', '-o', 'csv']])(
    '%j is rejected before anything is sent',
    async (...filter) => {
      const { requests, env } = await record(() => ({}));
      const { code, stderr } = await petctl(['pets', 'list', '--jq', ...filter], env);
      expect({ code, requests, stderr }).toEqual({
        code: 2,
        requests: [],
        stderr: expect.stringMatching(/^petctl: --jq.*\n$/),
      });
    },
  );

  test.each([
    ['.[].name | tonumber', '("Rex") cannot be parsed as a number. The request itself succeeded'],
    ['"no pet"|halt_error(3)', '--jq: no pet. The request itself succeeded: fix the filter.'],
    ['def f: [f]; f', 'needs too much memory. Check the filter for endless recursion.'],
  ])(
    'the filter %j that fails on a result has an exit code of its own',
    async (filter, message) => {
      const { code, stderr } = await petctl(['pets', 'list', '--jq', filter], env);
      expect({ code, stderr }).toEqual({ code: 11, stderr: expect.stringContaining(message) });
    },
  );

  test('results of a page are printed before the next page arrives', async () => {
    const last = Promise.withResolvers<Reply>();
    const { env } = await record((_, count) =>
      count === 1 ? pageBefore('?after=1') : last.promise,
    );
    const running = start(['pets', 'list', '--all', '-o', 'jsonl', '--jq', '.id'], env);
    let printed = '';
    for await (const text of running.stdout.setEncoding('utf8')) {
      printed += text;
      last.resolve({ body: [{ id: 2 }] });
    }
    expect(printed).toBe('1\n2\n');
  });
});

describe('on a terminal', () => {
  const names = [
    'Rex',
    '日本の長い名前の猫です',
    'The uncommonly long name of a pet, to be shortened',
  ];
  const bold = '\u001b[1m';
  let env: Record<string, string>;
  beforeAll(async () => {
    ({ env } = await record(() => ({
      body: names.map((name, i) => ({ id: i + 1, name, categoryId: 1 })),
    })));
  });
  const linesOf = async (width: number, more: Record<string, string> = {}) => {
    const terminals = { stdout: true, columns: width };
    const args = ['pets', 'list', '--fields', columns];
    const { stdout } = await runToEnd(args, { ...env, ...more }, '', terminals);
    return stdout.split('\n');
  };

  test('a list is a table with a bold header, shortened to the width', async () => {
    const [header, first, second, third] = await linesOf(40);
    expect(header).toBe(`${bold}ID  NAME             CATEGORY ID  STATUS\u001b[22m`);
    expect({ first, second, third }).toEqual({
      first: '1   Rex              1',
      second: '2   日本の長い名前…  1',
      third: '3   The uncommonly…  1',
    });
  });

  test('an identifier is never cut, however narrow it is', async () => {
    const id = 9007199254740991;
    const { env } = await record(() => ({ body: [{ id, name: 'Rex', categoryId: 80808080 }] }));
    const args = ['pets', 'list', '--fields', columns];
    for (const width of [1, 10, 20, 30]) {
      const { stdout } = await runToEnd(args, env, '', { stdout: true, columns: width });
      expect(stdout).toMatch(new RegExp(`^${id}  .*  80808080$`, 'm'));
    }
  });

  test.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('%j turns off the bold header', async (more) => {
    expect((await linesOf(80, more))[0]).toMatch(/^ID {2}NAME/);
  });

  test('a terminal that does not know its width has 80 columns', async () => {
    expect((await linesOf(0))[2]).toBe('2   日本の長い名前の猫です                              1');
  });

  test("a service's error is escaped", async () => {
    const { env } = await record(() => ({
      status: 400,
      body: { code: 'invalid_request', message: 'x\u001b]0;owned\u0007\u009b2J', status: 400 },
    }));
    const { stderr } = await runToEnd(['pets', 'list'], env, '', { stderr: true });
    expect(stderr).toContain('x\\u001b]0;owned\\u0007\\u009b2J');
  });
});
