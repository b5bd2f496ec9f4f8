// P6: `pets import` of JSON Lines, a JSON array or CSV, also of what petctl prints; a bad record costs that record; --failed.
import { linkSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { bash, startBinary } from './binary.ts';
import { petctl, start } from './run.ts';
import { scratch } from './scratch.ts';
import { errorReply, lines, named, type Reply, record, startService } from './services.ts';

let env: Record<string, string>;
beforeAll(async () => {
  ({ env } = await startService());
});

const failedFile = join(scratch, 'failed');
const failed = () => readFileSync(failedFile, 'utf8');
const write = (name: string, text: string | Buffer) => {
  writeFileSync(join(scratch, name), text);
  return join(scratch, name);
};
const add = (input: string, ...args: string[]) =>
  petctl(
    ['pets', 'import', '-', '--again', '--failed', failedFile, '-o', 'jsonl', ...args],
    env,
    input,
  );
const rowsIn = (stdout: string) =>
  stdout.split('\n').flatMap((line) => (line ? JSON.parse(line) : []));
const messagesIn = (stderr: string) =>
  rowsIn(stderr).map(({ notice, error }) => (notice ?? error).message);

describe.each([
  [
    'JSON Lines',
    '\ufeff{"name":"A","categoryId":1}\n\n{"name":"B"}\r\n{"name":"C","categoryId":3,"status":"sold"}',
    ['line 3: categoryId missing.'],
    '{"name":"B"}\n',
  ],
  [
    'a JSON array',
    ' [ {"name":"A","categoryId":1},\n{ "name": "B", "categoryId": "x" }\n,5,{"name":"C","categoryId":3,"status":"sold"} ]\n',
    ["element 2: body 'categoryId': must be integer", 'element 3: it is not a JSON object.'],
    '{"name":"B","categoryId":"x"}\n5\n',
  ],
  [
    'CSV',
    'name,category-id,status\nA,1,\n"B\n""b""",x,\nB,1\nC,3,sold\n',
    [
      "line 4: body 'categoryId': must be integer",
      'line 5: it has not as many cells as the header.',
    ],
    'name,category-id,status\nB,1\n"B\n""b""",x,\n',
  ],
])('%s', (_, input, messages, rest) => {
  test('good records are added and printed, bad ones are named and stored', async () => {
    const { code, stdout, stderr } = await add(input);
    const rows = rowsIn(stdout).sort((a, b) => a.name.localeCompare(b.name));
    expect(rows).toMatchObject([
      { name: 'A', categoryId: 1 },
      { name: 'C', categoryId: 3, status: 'sold' },
    ]);
    const total = `2 created, ${messages.length} failed.`;
    expect([code, messagesIn(stderr).toSorted()]).toEqual([9, [...messages, total].toSorted()]);
    expect(failed().split('\n').toSorted()).toEqual(rest.split('\n').toSorted());
  });
});

test('what petctl prints can be imported, with 64-bit integers', async () => {
  const { env } = await startService();
  const names = [
    'plain',
    'a "quoted", text',
    ' spaces ',
    '',
    'two\nlines',
    '日本',
    'a\u001b\r\u200f',
    '\\u001b \\u0041',
  ];
  const first = names.map((name, i) => JSON.stringify({ name, categoryId: i })).join('\n');
  await petctl(
    ['pets', 'import', '-'],
    env,
    `${first}\n{"name":"max","categoryId":9223372036854775807,"status":"sold"}`,
  );
  const contents = async () => {
    const { stdout } = await petctl(
      ['pets', 'list', '--all', '--fields', 'name,categoryId,status', '-o', 'jsonl'],
      env,
    );
    return stdout.trimEnd().split('\n').toSorted();
  };
  const before = await contents();
  for (const [i, output] of ['json', 'jsonl', 'csv'].entries()) {
    const { stdout } = await petctl(['pets', 'list', '--limit', '9', '-o', output, '-q'], env);
    expect((await petctl(['pets', 'import', '-', '--again'], env, stdout)).stderr).toBe(
      'petctl: 9 created.\n',
    );
    expect(await contents()).toEqual(
      Array.from({ length: i + 2 }, () => before)
        .flat()
        .toSorted(),
    );
  }
});

test.each(['', '\n', '[]', ' [ ] '])('an empty input %j is no error', async (input) => {
  expect(await add(input)).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('0 created.'),
  });
});

describe('before anything is sent, an import rejects', () => {
  test.each([
    ['name,colour\nA,red\n', "no member 'colour'"],
    ['name;categoryId\nA;1\n', "no member 'name;categoryId'"],
    ['name,categoryId,name\nA,1,B\n', 'a column twice'],
    ['name,categoryId\n"A"x,1\nB,2\nC,3\n', 'at line 2'],
    ['name,categoryId\n"A,1\nB,2\nC,3\n', 'at line 4'],
    ['[{"name":"A","categoryId":1},{', 'The array: '],
    [
      '[{"name":"A","categoryId":1e400}]',
      "The array: 'categoryId': the number 1e400 would be rounded",
    ],
    [`{"name":"${'x'.repeat(5_000_000)}`, 'does not end'],
  ])('%.40j', async (input, message) => {
    const { requests, env } = await record(() => ({ status: 201, body: {} }));
    const { code, stderr } = await petctl(['pets', 'import', '-'], env, input);
    expect([code, requests, stderr]).toEqual([2, [], expect.stringContaining(message)]);
  });

  test('a missing file, a folder, text that is not UTF-8, and a --failed file that cannot be written', async () => {
    const run = (file: string, to = failedFile) =>
      petctl(['pets', 'import', file, '--failed', to], env);
    expect(await run(join(scratch, 'none'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ENOENT'),
    });
    expect(await run(scratch)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('EISDIR'),
    });
    const latin1 = write('latin1', Buffer.from('{"name":"\xe4"}', 'latin1'));
    expect(await run(latin1)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ENCODING'),
    });
    expect(await run(write('x', lines(3)), join(scratch, 'no/file'))).toMatchObject({ code: 2 });
  });

  test('the file itself as --failed, which would be lost', async () => {
    const file = write('same', lines(1));
    linkSync(file, join(scratch, 'hard-link'));
    for (const line of [`${file} --failed hard-link`, `- --failed ${file} < ${file}`])
      expect(await bash(`petctl pets import ${line}`, env)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('is the file to import. Pass another file.'),
      });
    expect(readFileSync(file, 'utf8')).toBe(lines(1));
  });
});

describe('a service that fails', () => {
  const run = (input: string, env: Record<string, string>, ...args: string[]) =>
    petctl(
      ['pets', 'import', write('x', input), '--failed', failedFile, '--retries', '0', ...args],
      env,
    );
  const failedNames = () => rowsIn(failed()).map(({ name }) => name);

  test('at one record costs that record, and a repeated import adds the others once', async () => {
    const added = new Set<unknown>();
    const { env } = await record((request, count): Reply | 'break' => {
      if (named(request) === '2' && count < 10)
        return errorReply(500, 'internal_error', 'no space');
      const key = request.headers['idempotency-key'];
      const replayed = added.has(key);
      added.add(key);
      return { status: 201, body: {}, headers: replayed ? { 'idempotency-replayed': 'true' } : {} };
    });
    expect(await run(lines(3) + lines(1), env)).toMatchObject({
      code: 9,
      stderr: `petctl: line 2: no space (HTTP 500)\npetctl: 3 created, 1 failed. ${failedFile} has the records that are not added: correct and import it.\n`,
    });
    expect(failedNames()).toEqual(['2']);
    for (let i = 0; i < 6; i++) await run(lines(1), env);
    expect((await run(lines(3) + lines(1), env)).stderr).toBe(
      'petctl: 1 created, 3 existing. Existing ones are skipped without --again.\n',
    );
  });

  test.each([
    [errorReply(401, 'unauthorized'), 4],
    ['break' as const, 3],
    [errorReply(503, 'unavailable'), 8],
  ])('at all ends the import: %j', async (reply, exit) => {
    const { requests, env } = await record((): Reply | 'break' => reply);
    const { code, stderr } = await run(lines(200), env);
    expect([code, stderr]).toEqual([
      exit,
      expect.stringContaining('Run the same import again within 24 hours'),
    ]);
    expect(requests.length).toBeLessThan(50);
    expect(failedNames().length).toBe(200);
    expect((await run(lines(200), env, '--again')).stderr).not.toContain('the same import');
  });

  test('a broken record in the middle of a file: the code does not say that nothing was sent', async () => {
    const { env } = await record(() => ({ status: 201, body: {} }));
    const { code, stderr } = await run(`name,categoryId\n${'A,1\n'.repeat(2000)}"B`, env);
    expect([code, stderr.split('\n')[1]]).toEqual([
      9,
      expect.stringContaining('CSV: Quote Not Closed'),
    ]);
  });

  test('at one of equal records: its --failed file adds it, and the others stay as they are', async () => {
    const added = new Set<unknown>();
    const { env } = await record((request, count): Reply => {
      if (count === 2) return errorReply(500, 'internal_error');
      added.add(request.headers['idempotency-key']);
      return { status: 201, body: {} };
    });
    expect((await run(lines(1).repeat(4), env)).code).toBe(9);
    expect([added.size, failedNames()]).toEqual([3, expect.arrayContaining(['1'])]);
    expect((await run(failed(), env)).code).toBe(0);
    expect(added.size).toBe(4);
  });

  test('-o json gives the error of a record with its request identifier', async () => {
    const reply = {
      ...errorReply(400, 'invalid_request', 'no'),
      headers: { 'x-request-id': 'abc' },
    };
    const { env } = await record(() => reply);
    const [line = ''] = (await run(lines(1), env, '-o', 'table', '-o', 'json')).stderr.split('\n');
    expect(JSON.parse(line).error).toMatchObject({
      message: 'line 1: no',
      requestId: 'abc',
      exit: 9,
    });
  });

  test('with 429 is waited for as long as --timeout allows', async () => {
    const { env } = await record(() => ({
      ...errorReply(429, 'rate_limited'),
      headers: { 'retry-after': '25' },
    }));
    const child = startBinary(
      ['pets', 'import', write('x', lines(1)), '-v', '--timeout', '5m'],
      env,
    );
    for await (const text of child.stderr.setEncoding('utf8'))
      if (text.includes('attempt 2 in 25000 ms')) break;
    child.kill('SIGKILL');
    expect((await run(lines(1), env)).code).toBe(7);
  });
});

test('some calls run at the same time, and results are printed as they arrive', async () => {
  const all = Promise.withResolvers<void>();
  const { env } = await record(async (request, count) => {
    if (count === 2) all.resolve();
    if (named(request) === '1') await all.promise;
    return { status: 201, body: { id: count, name: named(request) } };
  });
  const child = start(['pets', 'import', '-', '-o', 'jsonl', '-q'], env);
  child.stdin.write(lines(2));
  let printed = '';
  for await (const part of child.stdout.setEncoding('utf8')) {
    printed += part;
    // Only now the input ends.
    if (rowsIn(printed).length === 2) child.stdin.end();
  }
  expect(
    rowsIn(printed)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(['1', '2']);
});

test('a closed pipe does not stop the import', async () => {
  const { requests, env } = await record(() => ({
    status: 201,
    body: { id: 1, name: 'x'.repeat(500) },
  }));
  const { code } = await bash(`petctl pets import ${write('many', lines(300))} | head -1`, env);
  expect([code, requests.length]).toEqual([0, 300]);
});

test.skipIf(process.platform !== 'linux')(
  'a full disk stops it, for results and for the --failed file',
  async () => {
    const { env, requests } = await record(() => ({ status: 201, body: { id: 1 } }));
    const file = write('many', `{\n${lines(300)}`);
    const results = await bash(`petctl pets import ${file} -q > /dev/full`, env);
    expect([results.code, results.stderr]).toEqual([
      11,
      expect.stringContaining('could not be written (ENOSPC)'),
    ]);
    expect(requests.length).toBeLessThan(300);
    const failures = await petctl(['pets', 'import', file, '-q', '--failed', '/dev/full'], env);
    expect([failures.code, failures.stderr]).toEqual([
      11,
      expect.stringContaining('/dev/full cannot be written (ENOSPC)'),
    ]);
  },
);
