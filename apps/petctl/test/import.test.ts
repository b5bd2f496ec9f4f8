import { spawnSync } from 'node:child_process';
import { closeSync, linkSync, openSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { outcomes, useImportFiles } from './import-files.ts';
import { binary, environment, petctl, petctlNode } from './petctl.ts';
import { record } from './recorder.ts';
import { startService } from './service.ts';

let env: Record<string, string>;
const files = useImportFiles();
beforeAll(async () => {
  ({ env } = await startService());
});
const run = (file: string, ...args: string[]) =>
  petctl(['pets', 'import', file, '--again', '--failed', files.failedFile, ...args], { env });

describe.each([
  [
    'jsonl',
    '{"name":"A","categoryId":1}\n\n{"name":"B"}\r\n{"name":"C","categoryId":3,"status":"sold"}',
    '{"name":"B"}\n',
    [1, 3, 4],
  ],
  [
    'json',
    '\ufeff [{"name":"A","categoryId":1},\n{"name":"B"},{"name":"C","categoryId":3}]',
    '[\n{"name":"B"}\n]\n',
    [1, 2, 3],
  ],
  [
    'csv',
    'name,category-id,status\nA,1,\n"B\n""b""",x,\n"C, c",3,sold\n',
    'name,category-id,status\n"B\n""b""",x,\n',
    [2, 3, 5],
  ],
] as const)('%s', (format, text, failed, lines) => {
  test('creates every line, prints each result, and saves the failed lines', async () => {
    const { code, stdout, stderr } = await run(files.write(`pets.${format}`, text));
    expect(outcomes(stdout)).toEqual([`${lines[0]} created`, `${lines[1]} failed`, `${lines[2]} created`]);
    expect([code, stderr]).toEqual([
      9,
      `petctl: 2 created, 1 failed. ${files.failedFile} contains the failed records: correct and import them.\n`,
    ]);
    expect(files.failedRecords()).toBe(failed);
  });

  test('checks the same from stdin with --dry-run', async () => {
    const args = ['pets', 'import', '-', '--dry-run', '--format', format, '-o', 'jsonl'];
    const { code, stdout } = await petctl(args, { env: {}, input: text });
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([code, rows.map(({ line, outcome }) => [line, outcome])]).toEqual([
      9,
      [
        [lines[0], 'valid'],
        [lines[1], 'failed'],
        [lines[2], 'valid'],
      ],
    ]);
    expect(rows[0]).toMatchObject({ name: 'A', categoryId: 1 });
  });
});

test('failed lines can be corrected and imported again', async () => {
  await run(files.write('a.csv', 'name,categoryId\nA,1\nB,x\n'));
  const corrected = files.write('b.csv', files.failedRecords().replace('x', '2'));
  expect(await run(corrected)).toMatchObject({ code: 0, stderr: 'petctl: 1 created.\n' });
  expect(files.failedRecords()).toBe('');
});

test.each([
  ['{ "name": "]},{\\"[", "categoryId": 1e400 }', 'array'],
  ['{"name":"A","categoryId":92233720368547758079}', 'array'],
  ['{"categoryId":1,\n "list":[{}, []]}', 'array'],
  ['"text"', 'array'],
  ['{"name":1.0}', 'single value'],
] as const)('the failed record %s of a JSON %s is stored unchanged', async (text, kind) => {
  const input = kind === 'array' ? `[ {"name":"A","categoryId":1} ,\t${text}\r\n]` : ` ${text}\n`;
  const args = ['pets', 'import', '-', '--format', 'json', '--dry-run', '--failed', files.failedFile];
  expect(await petctl(args, { env, input })).toMatchObject({ code: 9 });
  expect(files.failedRecords()).toBe(`[\n${text}\n]\n`);
});

test('an error in a JSON array names the number of the element, not of a line', async () => {
  const text = JSON.stringify(
    [{ name: 'A', categoryId: 1 }, { name: 'B' }, 5, { name: 'C', categoryId: 'x' }],
    null,
    2,
  );
  const { stdout } = await run(
    files.write('pretty.json', text),
    '--dry-run',
    '-o',
    'jsonl',
    '--jq',
    '.error | select(.)',
  );
  expect(stdout.trimEnd().split('\n')).toEqual([
    'element 2: categoryId is missing.',
    'element 3 is not a JSON object.',
    'element 4: categoryId "x" is no integer.',
  ]);
});

test('an empty input is no error', async () => {
  for (const text of ['', '\n', '[]'])
    expect(await run(files.write('none', text))).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'petctl: 0 records.\n',
    });
});

test('a malformed quote ends the import at its line', async () => {
  const file = files.write('a.csv', 'name,categoryId\nA,1\nB,2\n"C"x,3\nD,4\n');
  const { code, stdout, stderr } = await run(file);
  expect([code, outcomes(stdout)]).toEqual([9, ['2 created', '3 created']]);
  expect(stderr).toContain('line 4: its quotes do not match. This and later lines were not read. 2 created.');
});

test.each(['\n', '\r\n'])('CSV records have their line numbers with the line ending %j', async (end) => {
  const run = (lines: string[]) =>
    petctl(['pets', 'import', '-', '--dry-run', '-o', 'jsonl', '--jq', '.line'], { env, input: lines.join(end) });
  const header = 'name,categoryId';
  const { stdout, stderr } = await run([header, 'A,1', '', `"B${end}b",2`, 'C,3', '', '"D"d,4']);
  expect(stdout).toBe('2\n4\n6\n');
  expect(stderr).toContain('line 8: its quotes do not match');
});

test('a CSV record of very many empty cells is parsed, unless it is longer than 4 MiB', async () => {
  const run = (cells: number) =>
    petctl(['pets', 'import', '-', '--dry-run'], { env, input: `name,categoryId\n${','.repeat(cells)}\n` });
  expect(await run(1_000_000)).toMatchObject({
    code: 9,
    stdout: expect.stringContaining('line 2: the number of cells is 1000001, but 2 in the header.'),
  });
  expect(await run(5_000_000)).toMatchObject({ code: 2, stderr: expect.stringContaining('longer than 4 MiB') });
});

test.each(['csv', 'jsonl', 'json'])('a list in %s can be imported', async (format) => {
  const list = await petctl(['pets', 'list', '--limit', '3', '-o', format], { env });
  const { code, stdout, stderr } = await petctl(['pets', 'import', '-', '--again'], { env, input: list.stdout });
  expect([code, outcomes(stdout).filter((line) => line.endsWith(' created')).length]).toEqual([0, 3]);
  expect(stderr).toBe("petctl: Ignored the property 'id', because createPet has no such input.\npetctl: 3 created.\n");
});

test('64-bit integers are parsed and sent exactly', async () => {
  const max = '9223372036854775807';
  for (const input of [`{"name":"A","categoryId":${max}}\n`, `name,categoryId\nA,${max}\n`]) {
    const { stdout } = await petctl(['pets', 'import', '-', '-o', 'jsonl'], { env, input });
    expect(stdout).toContain(`"categoryId":${max}`);
  }
  const create = ['pets', 'create', '--name', 'A', '--category-id', max];
  expect((await petctl([...create, '--dry-run'], { env })).stdout).toContain(`"categoryId":${max}`);
  expect((await petctl([...create, '-o', 'json'], { env })).stdout).toContain(`"categoryId":${max}`);
  for (const number of ['9223372036854775808', '-9223372036854775809'])
    expect(await petctl(['pets', 'create', '--name', 'A', `--category-id=${number}`], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is too large to be exact'),
    });
});

describe('before anything is sent, an import rejects', () => {
  test.each([
    ['name,colour\nA,red\n', [], "names 'colour', which is not a property"],
    ['"name,categoryId\nA,1\n', [], 'line 1: a quote is opened and never closed'],
    ['name,categoryId,name\nA,1,B\n', [], "names 'name' twice"],
    ['name;categoryId\nA;1\n', [], 'use semicolons'],
    ['name\tcategoryId\nA\t1\n', [], 'use tabs'],
    [
      'name,categoryId\n"A,1\nB,2\nC,3\n',
      [],
      'line 2: a quote is opened and never closed. This and later lines were not read.',
    ],
    ['[1', [], 'is not JSON'],
    ['[{"name":"A","name":"B"}]', [], "has the property 'name' twice"],
    [
      '[{"name":"A","categoryId":1.00000000000000000001}]',
      [],
      'is inexact: 1.00000000000000000001 would be rounded to 1',
    ],
    ['{"name":"A","categoryId":1}', ['--concurrency', '0'], 'less than 1'],
    ['{"name":"A","categoryId":1}', ['--format', 'xml'], 'one of jsonl, json, csv'],
  ])('%j %j', async (text, args, message) => {
    const { requests, env: recorded } = await record(() => ({ status: 201, body: {} }));
    const { code, stderr } = await petctl(['pets', 'import', files.write('x', text), ...args], { env: recorded });
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain(message);
  });

  test('a missing file, a folder, the input file as --failed, and text that is not UTF-8', async () => {
    expect(await run(files.path('none'))).toMatchObject({ code: 2, stderr: expect.stringContaining('ENOENT') });
    expect(await run(files.path('.'))).toMatchObject({ code: 2, stderr: expect.stringContaining('is a folder') });
    const file = files.write('same', '{"name":"A","categoryId":1}\n');
    linkSync(file, files.path('hard-link'));
    for (const failed of [file, files.path('hard-link')])
      expect(await petctl(['pets', 'import', file, '--failed', failed], { env })).toMatchObject({ code: 2 });
    expect(readFileSync(file, 'utf8')).not.toBe('');
    const latin1 = files.write('latin1', Buffer.from('{"name":"\xe4"}', 'latin1'));
    expect(await run(latin1)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not UTF-8'),
    });
  });

  test.skipIf(process.platform === 'win32')('the input file as --failed, if it is stdin', () => {
    const file = files.write('redirected', '{"name":"A","categoryId":1}\n');
    const stdin = openSync(file, 'r');
    const { status, stderr } = spawnSync(petctlNode, [binary, 'pets', 'import', '-', '--dry-run', '--failed', file], {
      env: environment(env),
      stdio: [stdin, 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    closeSync(stdin);
    expect([status, stderr]).toEqual([2, `petctl: --failed: ${file} is the file to import. Pass another file.\n`]);
    expect(readFileSync(file, 'utf8')).not.toBe('');
  });
});
