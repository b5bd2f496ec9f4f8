import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { missingShell, skips } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { outcomes, useImportFiles } from './import-files.ts';
import { bash, petctl, start } from './petctl.ts';
import { errorReply, type Recorded, type Reply, record } from './recorder.ts';
import { hasNoTerminal, onTerminal } from './terminal.ts';

const hasNoShell = skips('an import before a closed pipe', missingShell);
const files = useImportFiles();

const lines = (count: number) =>
  Array.from({ length: count }, (_, i) => `{"name":"${i + 1}","categoryId":1}`).join('\n');
const named = ({ body }: Recorded) => JSON.parse(body).name;
/** The names of the records in the --failed file. */
const failedNames = () =>
  files
    .failedRecords()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).name);

test('the number of concurrent calls is bounded, and results are in the order of the lines', async () => {
  const [total, concurrency] = [40, 3];
  let maxPending = 0;
  const pending: (() => void)[] = [];
  const { env } = await record(
    ({ body }, count) =>
      new Promise<Reply>((resolve) => {
        pending.push(() => resolve({ status: 201, body }));
        maxPending = Math.max(maxPending, pending.length);
        // Replies to the last of them first.
        if (count === total || pending.length === concurrency) for (const reply of pending.splice(0).reverse()) reply();
      }),
  );
  const args = ['pets', 'import', '-', '--concurrency', String(concurrency)];
  const { code, stdout } = await petctl(args, { env, input: lines(total) });
  expect([code, maxPending]).toEqual([0, concurrency]);
  expect(outcomes(stdout)).toEqual(Array.from({ length: total }, (_, i) => `${i + 1} created`));
});

test('a rejected key stops the import, and the remaining lines go to the --failed file', async () => {
  const { requests, env } = await record(() => errorReply(401, 'unauthorized'));
  const { code, stderr } = await petctl(
    ['pets', 'import', files.write('x', lines(50)), '--failed', files.failedFile, '--concurrency', '2'],
    { env },
  );
  expect([code, stderr]).toEqual([
    4,
    expect.stringMatching(/^petctl: \d failed\. Run the same import again within 24 hours/),
  ]);
  expect(requests.length).toBeLessThan(5);
  expect(files.failedRecords()).toBe(`${lines(50)}\n`);
});

test.each([
  { status: 201, body: '<p>' },
  { status: 201, body: '[]' },
  { status: 200, body: '{"id":1}' },
  { status: 204, body: '' },
])('a response that cannot be parsed is an unknown outcome: %o', async (reply) => {
  const { env } = await record(() => reply);
  const args = ['pets', 'import', files.write('x', lines(1)), '--failed', files.failedFile];
  const { code, stdout } = await petctl(args, { env });
  expect([code, outcomes(stdout)]).toEqual([9, ['1 unknown']]);
});

test("a property of the service named like one of petctl's columns hides no column", async () => {
  const { env } = await record(() => ({ status: 201, body: { id: 1, line: 7, outcome: 'lost', error: 'none' } }));
  const { stdout } = await petctl(['pets', 'import', '-', '-o', 'jsonl'], { env, input: lines(1) });
  expect(JSON.parse(stdout)).toEqual({
    line: 1,
    outcome: 'created',
    id: 1,
    service_line: 7,
    service_outcome: 'lost',
    service_error: 'none',
  });
});

test('a call without a response is an unknown outcome', async () => {
  const { env } = await record((request) => (named(request) === '2' ? 'break' : { status: 201, body: { id: 1 } }));
  const { code, stdout } = await petctl(['pets', 'import', '-'], { env, input: lines(3) });
  expect([code, outcomes(stdout)]).toEqual([9, ['1 created', '2 unknown', '3 created']]);
});

test.each([
  ['break', errorReply(503, 'unavailable')],
  [{ ...errorReply(503, 'unavailable'), headers: { 'retry-after': '0' } }, 'hang'],
] as const)('the outcome is unknown if any attempt may have been executed: %j, then %j', async (first, last) => {
  const { env } = await record((_, count) => (count === 1 ? first : last));
  const args = ['pets', 'import', files.write('x', lines(1)), '--failed', files.failedFile, '--timeout', '4s'];
  const { code, stdout } = await petctl(args, { env });
  expect([code, outcomes(stdout), files.failedRecords()]).toEqual([9, ['1 unknown'], '']);
});

test.skipIf(hasNoShell)('a closed pipe does not stop the import', async () => {
  const { requests, env } = await record(() => ({ status: 201, body: { id: 1, name: 'x'.repeat(500) } }));
  const file = files.write('many', lines(300));
  const { code } = await bash(`petctl pets import '${file}' | head -1`, env);
  expect([code, requests.length]).toEqual([0, 300]);
});

describe.skipIf(hasNoTerminal)('on a terminal', () => {
  test('a progress bar on stderr, results in the pipe', async () => {
    const { env } = await record((_, count) => ({ status: 201, body: { id: count } }));
    const file = files.write('x', lines(30));
    const { code, terminal, pipe } = await onTerminal(['pets', 'import', file], { env, pipe: true });
    expect([code, outcomes(pipe).length]).toEqual([0, 30]);
    expect(terminal).toMatch(/\[#+-*\] +\d+ % {2}\d+ created/);
    expect(terminal.endsWith('\r\u001b[Kpetctl: 30 created.\r\n')).toBe(true);
    expect((await onTerminal(['pets', 'import', file, '--quiet'], { env, pipe: true })).terminal).toBe('');
  });

  test('the progress bar is no wider than the terminal, and a dumb terminal has none', async () => {
    const { env } = await record((_, count) => ({ status: 201, body: { id: count } }));
    const file = files.write('x', lines(30));
    const narrow = await onTerminal(['pets', 'import', file], { env, pipe: true, columns: 20 });
    const bars = narrow.terminal.split('\r\u001b[K').slice(1, -1);
    expect(bars).not.toEqual([]);
    for (const bar of bars) expect(bar.length).toBeLessThan(20);
    const dumb = await onTerminal(['pets', 'import', file], { env: { ...env, TERM: 'dumb' }, pipe: true });
    expect(dumb.terminal).not.toContain('\u001b');
  });

  test('with --verbose there is no progress bar', async () => {
    const { env } = await record((_, count) => ({ status: 201, body: { id: count } }));
    const args = ['pets', 'import', files.write('x', lines(3)), '-v'];
    expect((await onTerminal(args, { env, pipe: true })).terminal).not.toContain('\u001b');
  });

  test('Ctrl-C waits for the calls in progress, and saves exactly the remaining lines', async () => {
    const added: string[] = [];
    const { env } = await record((request, count) => {
      // By now, the terminal shows the progress, and Ctrl-C is typed.
      if (count > 60) return 'hang';
      added.push(named(request));
      return { status: 201, body: { id: count } };
    });
    const file = files.write('x', lines(200));
    const args = ['pets', 'import', file, '--failed', files.failedFile, '--concurrency', '1', '--timeout', '3s'];
    const { code, pipe } = await onTerminal(args, {
      env,
      pipe: true,
      steps: [{ expect: '\\d+ created', send: '\u0003' }],
    });
    expect(code).toBe(130);
    const created = outcomes(pipe)
      .filter((line) => line.endsWith('created'))
      .map((line) => line.split(' ')[0]);
    expect(created).toEqual(added);
    expect([...added, ...failedNames()]).toEqual(Array.from({ length: 200 }, (_, i) => String(i + 1)));
  });
});

test('results are printed while stdin is still open', async () => {
  const { env } = await record((request, count) => ({ status: 201, body: { id: count, name: named(request) } }));
  const child = start(['pets', 'import', '-', '-o', 'jsonl'], { env });
  child.stdin.write(`${lines(1)}\n`);
  const [first] = await once(child.stdout.setEncoding('utf8'), 'data');
  expect(JSON.parse(first)).toMatchObject({ line: 1, outcome: 'created', name: '1' });
  child.stdin.end();
  expect(await once(child, 'close')).toEqual([0, null]);
});

test('an error in the middle of a file says which records were not read, and how to go on', async () => {
  const { env } = await record((_, count) => ({ status: 201, body: { id: count } }));
  const head = Buffer.from(lines(3000));
  const file = files.write('x', Buffer.concat([head, Buffer.from([10, 0xff])]));
  const { code, stdout, stderr } = await petctl(['pets', 'import', file], { env });
  const start = Math.floor(head.length / 65_536) * 65_536;
  expect([code, stderr]).toEqual([
    9,
    `petctl: ${file} is not UTF-8 between byte ${start} and byte ${head.length + 2}. Records after byte ${start} were not ` +
      `read. ${outcomes(stdout).length} created. Convert it to UTF-8. Run the same import again within 24 hours: records that ` +
      'the service already added are skipped.\n',
  ]);
});

test('--unordered prints results as they arrive', async () => {
  let replyToFirst: (() => void) | undefined;
  const { env } = await record((request) => {
    const reply = { status: 201, body: request.body };
    if (named(request) !== '1') return reply;
    return new Promise<Reply>((resolve) => {
      replyToFirst = () => resolve(reply);
    });
  });
  const child = start(['pets', 'import', '-', '--unordered'], { env });
  child.stdin.end(lines(2));
  const rows: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    rows.push(...outcomes(text));
    replyToFirst?.();
  });
  await once(child, 'close');
  expect(rows).toEqual(['2 created', '1 created']);
});

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s waits for the calls in progress, and saves exactly the remaining lines', async (signal, exit) => {
  const added: string[] = [];
  const { env } = await record((request, count) => {
    added.push(named(request));
    if (count === 20) child.kill(signal);
    return { status: 201, body: { id: count } };
  });
  const file = files.write('x', lines(200));
  const child = start(['pets', 'import', file, '--failed', files.failedFile, '--concurrency', '4'], { env });
  child.stdout.resume();
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect([code, stderr]).toEqual([
    exit,
    expect.stringMatching(/created\. Run the same import again within 24 hours: .*\n.*Interrupted/),
  ]);
  expect([...added, ...failedNames()].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 200 }, (_, i) => String(i + 1)),
  );
});

test('with --again, a stopped import names the --failed file, because the same import would add every record twice', async () => {
  const { env } = await record((_, count) => (count < 3 ? { status: 201, body: {} } : errorReply(401, 'unauthorized')));
  const run = (...args: string[]) =>
    petctl(['pets', 'import', '-', '--again', '--concurrency', '1', ...args], { env, input: lines(5) });
  const { stderr } = await run('--failed', files.failedFile);
  expect(stderr).toMatch(
    `petctl: 2 created, 1 failed. ${files.failedFile} contains the records that failed, and those that were read but not sent.\n`,
  );
  expect(failedNames()).toEqual(['3', '4', '5']);
  expect((await run()).stderr).not.toContain('the same import');
});

test('lines with an unknown outcome go to the --unknown file only', async () => {
  const { env } = await record((request) =>
    named(request) === '2'
      ? 'break'
      : named(request) === '3'
        ? errorReply(400, 'invalid_request')
        : { status: 201, body: {} },
  );
  const unknown = `${files.failedFile}-unknown`;
  const args = ['pets', 'import', files.write('x', lines(4)), '--failed', files.failedFile, '--unknown', unknown];
  const { code, stderr } = await petctl(args, { env });
  expect([code, stderr]).toEqual([9, expect.stringContaining('2 created, 1 failed, 1 unknown.')]);
  expect([files.failedRecords(), readFileSync(unknown, 'utf8')].map((text) => JSON.parse(text).name)).toEqual([
    '3',
    '2',
  ]);
});

test('a full disk for the --failed file stops the import with an error', async () => {
  const { env, requests } = await record(() => ({ status: 201, body: { id: 1 } }));
  const file = files.write('x', `{\n${lines(200)}`);
  const args = ['pets', 'import', file, '--failed', '/dev/full', '--concurrency', '1'];
  const { code, stdout, stderr } = await petctl(args, { env });
  expect([code, outcomes(stdout)[0], requests.length]).toEqual([1, '1 failed', 0]);
  const [totals, error] = stderr.split('\n');
  expect(totals).toMatch(/^petctl: 1 failed\. Run the same import again/);
  expect(error).toBe('petctl: The records for /dev/full could not be written (ENOSPC). Check for a full disk.');
});

test('a second Ctrl-C ends the import at once', async () => {
  const { env } = await record(() => 'hang');
  const unknown = `${files.failedFile}-unknown`;
  const child = start(
    ['pets', 'import', files.write('x', lines(5)), '--failed', files.failedFile, '--unknown', unknown, '-v'],
    {
      env,
    },
  );
  let stderr = '';
  let pressed = 0;
  child.stderr.on('data', (text) => {
    stderr += text;
    const isReady = [/> POST/, /Ctrl-C again/][pressed]?.test(stderr);
    if (!isReady) return;
    pressed++;
    child.kill('SIGINT');
  });
  const [code] = await once(child, 'close');
  expect([code, pressed]).toEqual([130, 2]);
  expect(readFileSync(unknown, 'utf8') + files.failedRecords()).toBe(`${lines(5)}\n`);
});

test('a filter that is invalid is rejected before anything is sent', async () => {
  const { env, requests } = await record(() => ({ status: 201, body: { id: 1 } }));
  const { code } = await petctl(['pets', 'import', files.write('x', lines(3)), '--jq', '.['], { env });
  expect([code, requests]).toEqual([2, []]);
});

test('a filter that fails on a result stops the import, and the remaining lines go to the --failed file', async () => {
  const { env, requests } = await record((_, count) => ({ status: 201, body: { id: count } }));
  const args = ['pets', 'import', files.write('x', lines(5_000)), '--failed', files.failedFile];
  const { code, stderr } = await petctl([...args, '-o', 'jsonl', '--jq', '.id | explode'], { env });
  expect([code, stderr]).toEqual([1, expect.stringContaining('fix the filter')]);
  const sent = requests.map(named);
  expect([...sent, ...failedNames()].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 5_000 }, (_, i) => String(i + 1)),
  );
  expect(sent.length).toBeLessThan(5_000);
});

test('a malformed quote after an unknown outcome is no usage error, because something was sent', async () => {
  const { env } = await record(() => 'break');
  const input = 'name,categoryId\nA,1\n"B"x,2\n';
  const { code, stderr } = await petctl(['pets', 'import', '-', '--retries', '0'], { env, input });
  expect([code, stderr]).toEqual([9, expect.stringContaining('line 3: its quotes do not match.')]);
  expect(stderr).toContain(' 1 unknown. ');
});

test('--failed and --unknown cannot be one file, which remains as it is', async () => {
  const { env, requests } = await record(() => ({ status: 201, body: { id: 1 } }));
  const failed = files.write('failed', 'from the last import');
  for (const unknown of [failed, `${files.path('.')}/failed`]) {
    const args = ['pets', 'import', files.write('x', lines(1)), '--failed', failed, '--unknown', unknown];
    expect(await petctl(args, { env })).toMatchObject({
      code: 2,
      stderr: 'petctl: --failed and --unknown name the same file. Pass two files.\n',
    });
  }
  expect([requests, files.failedRecords()]).toEqual([[], 'from the last import']);
});
