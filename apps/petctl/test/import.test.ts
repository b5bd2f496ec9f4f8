// `pets import` of JSON Lines, a JSON array or CSV, also of what petctl prints; a bad record costs that record; --failed.
import { linkSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { petctl, resultOf, start } from './run.ts';
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
    '\ufeff{"name":"A","categoryId":1}\n\n{"name":"B"}\r\n{"name":"D","categoryId":1e300}\n{"name":"C","categoryId":3,"status":"sold"}',
    ['line 3: categoryId is missing.', 'line 4: the number 1e+300 has more than 64 bits.'],
    '{"name":"B"}\n{"name":"D","categoryId":1e300}\n',
  ],
  [
    'a JSON array',
    ' [ {"name":"A","categoryId":1},\n{ "name": "B", "categoryId": "x" }\n,5,{"name":"C","categoryId":3,"status":"sold"} ]\n',
    ["element 2: body 'categoryId': must be integer", 'element 3 is not a JSON object.'],
    '{"name":"B","categoryId":"x"}\n5\n',
  ],
  [
    'CSV',
    'name,category-id,status\nA,1,\n"B\n""b""",x,\nB,1\nC,3,sold\n',
    ["line 4: body 'categoryId': must be integer", 'line 5 has 2 cells, and the first line has 3.'],
    'name,category-id,status\n"B\n""b""",x,\nB,1\n',
  ],
])('%s', (_, input, messages, rest) => {
  test('good records are added and printed, and bad records are named and stored', async () => {
    const { code, stdout, stderr } = await add(input);
    expect(rowsIn(stdout)).toMatchObject([
      { name: 'A', categoryId: 1 },
      { name: 'C', categoryId: 3, status: 'sold' },
    ]);
    const total = `2 created, ${messages.length} failed.`;
    expect({ code, messages: messagesIn(stderr) }).toEqual({
      code: 9,
      messages: [...messages, total],
    });
    expect(failed()).toBe(rest);
  });
});

test.each(['', '\n', '[]', ' [ ] '])('an empty input %j is not an error', async (input) => {
  expect(await add(input)).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('0 created.'),
  });
});

describe('before anything is sent, an import rejects', () => {
  test.each([
    ['name,colour\nA,red\n', "The first line: there is no property 'colour'."],
    ['name,categoryId,name\nA,1,B\n', 'a column twice'],
    ['name,categoryId\n"A"x,1\nB,2\nC,3\n', 'at line 2'],
    ['name,categoryId\n"A,1\nB,2\nC,3\n', 'a quote that opens after line 1 is not closed'],
    [
      '{\n  "name": "A",\n  "categoryId": 1\n}\n',
      'line 1: the JSON object does not end on this line. Put',
    ],
    ['1\tA\n', 'This looks like tab-separated values without the names of the columns. Add'],
    [
      'ID  NAME  CATEGORY ID  STATUS\n1   A     2\n',
      'This looks like a table. Print it with -o csv',
    ],
    ['[{"name":"A","categoryId":1},{', 'The array: '],
    [
      '[{"name":"A","categoryId":1e400}]',
      "The array: 'categoryId': the number 1e400 has more than 64 bits",
    ],
    [`{"name":"${'x'.repeat(5_000_000)}`, 'the JSON object does not end on this line'],
  ])('%.40j', async (input, message) => {
    const { requests, env } = await record(() => ({ status: 201, body: {} }));
    const { code, stderr } = await petctl(['pets', 'import', '-'], env, input);
    expect({ code, requests, stderr }).toEqual({
      code: 2,
      requests: [],
      stderr: expect.stringContaining(message),
    });
  });

  test('a missing file, a folder, text that is not UTF-8, and a --failed file that cannot be written', async () => {
    const run = (file: string, to = failedFile) =>
      petctl(['pets', 'import', file, '--failed', to], env);
    expect(await run(join(scratch, 'none'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('none cannot be read (ENOENT). Check its name'),
    });
    expect(await run(scratch)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('EISDIR'),
    });
    const latin1 = write('latin1', Buffer.from('{"name":"\xe4"}', 'latin1'));
    expect(await run(latin1)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('latin1 is not UTF-8. Convert it'),
    });
    expect(await run(write('x', lines(3)), join(scratch, 'no/file'))).toMatchObject({ code: 2 });
  });

  test('the file itself as --failed, which would be lost', async () => {
    const file = write('same', lines(1));
    linkSync(file, join(scratch, 'hard-link'));
    const args = ['pets', 'import', file, '--failed', join(scratch, 'hard-link')];
    expect(await petctl(args, env)).toMatchObject({
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

  test('for one record costs only that record, and a repeated import adds the others once', async () => {
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
      'petctl: 3 records existed already: an import of the last 24 hours added equal ones. Use --again to add them once more.\n' +
        'petctl: 1 created, 3 existing.\n',
    );
  });

  test.each([
    [errorReply(401, 'unauthorized'), 4],
    ['break' as const, 3],
    [errorReply(503, 'unavailable'), 8],
  ])('for every record ends the import: %j', async (reply, exit) => {
    const { requests, env } = await record((): Reply | 'break' => reply);
    const { code, stderr } = await run(lines(200), env);
    expect({ code, stderr }).toEqual({
      code: exit,
      stderr: expect.stringContaining('Run the same import again within 24 hours'),
    });
    expect(requests.length).toBeLessThan(50);
    expect(failedNames().length).toBe(200);
    expect((await run(lines(200), env, '--again')).stderr).not.toContain('the same import');
  });

  test('for no record: all records before a broken one are added, and later records are not', async () => {
    const { env, requests } = await record(() => ({ status: 201, body: {} }));
    const good = Array.from({ length: 300 }, (_, i) => `${i},1\n`).join('');
    const broken = '"two\nlines",1\n\n\nB,"2\nC,3\nD,4\n';
    const { code, stderr } = await run(`name,categoryId\n${good}${broken}`, env);
    expect({ code, requests: requests.length }).toEqual({ code: 9, requests: 301 });
    expect(stderr).toContain('CSV: a quote that opens after line 303 is not closed.');
  });

  test('while the file has a broken quote: the records before the quote are in --failed', async () => {
    const { env } = await record(() => 'break');
    const good = Array.from({ length: 300 }, (_, i) => `${i},1\n`).join('');
    expect((await run(`name,categoryId\n${good}"B`, env)).code).toBe(3);
    expect(failed()).toBe(`name,categoryId\n${good}`);
  });

  test('for one of equal records: an import of the --failed file adds only this record', async () => {
    const added = new Set<unknown>();
    const { env } = await record((request, count): Reply => {
      if (count === 2) return errorReply(500, 'internal_error');
      added.add(request.headers['idempotency-key']);
      return { status: 201, body: {} };
    });
    expect((await run(lines(1).repeat(4), env)).code).toBe(9);
    expect({ added: added.size, failed: failedNames() }).toEqual({
      added: 3,
      failed: expect.arrayContaining(['1']),
    });
    expect((await run(failed(), env)).code).toBe(0);
    expect(added.size).toBe(4);
  });

  test('for one of equal records of --again: the --failed file has only this record', async () => {
    const { env } = await record((_, count): Reply => {
      const isThird = count === 3;
      return isThird ? errorReply(500, 'internal_error') : { status: 201, body: {} };
    });
    expect((await run(lines(1).repeat(4), env, '--again')).code).toBe(9);
    expect(failedNames()).toEqual(['1']);
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
    const args = ['pets', 'import', write('x', lines(1)), '-v', '--timeout', '26s'];
    const running = start(args, env);
    for await (const text of running.stderr.setEncoding('utf8'))
      if (text.includes('attempt 2 in 25000 ms')) break;
    expect((await run(lines(1), env, '--timeout', '1s')).code).toBe(7);
  });
});

test('results are printed in the order of the file, as they arrive, with some calls at the same time', async () => {
  const all = Promise.withResolvers<void>();
  const { env } = await record(async (request, count) => {
    if (count === 2) all.resolve();
    if (named(request) === '1') await all.promise;
    return { status: 201, body: { id: count, name: named(request) } };
  });
  const running = start(['pets', 'import', '-', '-o', 'jsonl', '-q'], env);
  running.stdin.write(lines(2));
  let printed = '';
  for await (const part of running.stdout.setEncoding('utf8')) {
    printed += part;
    // Only now the input ends.
    if (rowsIn(printed).length === 2) running.stdin.end();
  }
  expect(rowsIn(printed).map(({ name }) => name)).toEqual(['1', '2']);
});

test('a file whose end cannot be read does not claim that --failed has the rest', async () => {
  const { env } = await record(() => ({ status: 201, body: {} }));
  const args = ['pets', 'import', '-', '--failed', failedFile];
  const { code, stderr } = await petctl(args, env, 'name,categoryId\nB,1\n"C,2\n');
  expect([code, failed()]).toEqual([9, '']);
  expect(stderr).toContain('a quote that opens after line 2 is not closed.');
  expect(stderr).toContain(`${failedFile} lacks the records that were not read.`);
  expect(stderr).not.toContain('has the records');
});

describe('a line that is not UTF-8', () => {
  test.each([
    ['JSON Lines', '{"name":"ä","categoryId":1}\n', '{"name":"\xe4","categoryId":1}\n'],
    ['CSV', 'name,categoryId\nä,1\n', '\xe4,1\n'],
    ['TSV', 'name\tcategoryId\nä\t1\n', '\xe4\t1\n'],
  ])('ends the import of %s, with all lines before it', async (_, good, bad) => {
    const { env, requests } = await record(() => ({ status: 201, body: {} }));
    const input = Buffer.concat([Buffer.from(good), Buffer.from(bad + bad, 'latin1')]);
    const running = start(['pets', 'import', '-'], env);
    // Chunks may begin within a character.
    for (const byte of input) running.stdin.write(Buffer.from([byte]));
    running.stdin.end();
    const { code, stderr } = await resultOf(running);
    expect([code, requests.map(({ body }) => JSON.parse(body).name)]).toEqual([9, ['ä']]);
    expect(stderr).toContain(
      `- is not UTF-8 after line ${good.split('\n').length - 1}. Convert it`,
    );
  });
});

describe('CSV of spreadsheets', () => {
  test.each([
    ['semicolons', 'name;categoryId\nA, B;1\n', { name: 'A, B', categoryId: 1 }],
    ['a fraction of zero in an integer', 'name,categoryId\nA,1.0\n', { name: 'A', categoryId: 1 }],
    ['a mark of the byte order', '\ufeffname,categoryId\r\nA,1\r\n', { name: 'A', categoryId: 1 }],
    [
      'a blank line at the beginning',
      '\r\n\r\nname,categoryId\r\nA,1\r\n',
      { name: 'A', categoryId: 1 },
    ],
    ['quoted names', '"name","categoryId"\n"A","1"\n', { name: 'A', categoryId: 1 }],
  ])('%s', async (_, input, pet) => {
    const { env, requests } = await record(() => ({ status: 201, body: {} }));
    expect((await petctl(['pets', 'import', '-'], env, input)).code).toBe(0);
    expect(requests.map(({ body }) => JSON.parse(body))).toEqual([pet]);
  });
});

describe('records that another import added', () => {
  const exists = 'existed already: an import of the last 24 hours added equal ones. Use --again';

  test('are counted in a notice, and --again adds them', async () => {
    const { env } = await startService();
    const pets = (...names: string[]) =>
      names.map((name) => `{"name":"${name}","categoryId":1}\n`).join('');
    const run = (input: string, ...args: string[]) =>
      petctl(['pets', 'import', '-', ...args], env, input);
    expect((await run(pets('A', 'A', 'B'))).stderr).toBe('petctl: 3 created.\n');
    const other = await run(pets('A', 'A', 'A', 'C'));
    expect(other).toMatchObject({
      code: 0,
      stderr: `petctl: 2 records ${exists} to add them once more.\npetctl: 2 created, 2 existing.\n`,
    });
    expect((await run(pets('B'))).stderr).toContain(`1 record ${exists}`);
    expect((await run(pets('A', 'B'), '--again')).stderr).toBe('petctl: 2 created.\n');
    expect((await run(pets('A'), '-q')).stderr).toBe('');
  });
});

test('an import goes on if the reader of its results or messages is gone', async () => {
  for (const gone of ['stdout', 'stderr'] as const) {
    const { requests, env } = await record(() => ({ status: 201, body: { id: 1 } }));
    const running = start(['pets', 'import', write('many', `{"x":1}\n${lines(30)}`), '-v'], env);
    running[gone === 'stdout' ? 'stderr' : 'stdout'].resume();
    running[gone].destroy(Object.assign(new Error('gone'), { code: 'EPIPE' }));
    expect({ code: await running.ended, requests: requests.length }).toEqual({
      code: 9,
      requests: 30,
    });
  }
});
