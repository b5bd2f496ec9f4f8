import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, test } from 'vitest';
import { importFolder, outcomes } from './import-files.ts';
import { binary, environment, petctl, start } from './petctl.ts';
import { type Recorded, record, refused } from './recorder.ts';
import { hasNoTerminal, onTerminal } from './terminal.ts';

let files: ReturnType<typeof importFolder>;
beforeEach(() => {
  files = importFolder();
});

const lines = (count: number) =>
  Array.from({ length: count }, (_, i) => `{"name":"${i + 1}","categoryId":1}`).join('\n');
const named = ({ body }: Recorded) => JSON.parse(body).name;

test('the number of concurrent calls is bounded, and results are in the order of the lines', async () => {
  const [total, atOnce] = [40, 3];
  let [count, most] = [0, 0];
  let waiting: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    waiting.push(() => response.writeHead(201, { 'content-type': 'application/json' }).end(body));
    most = Math.max(most, waiting.length);
    // The last to come is answered first.
    if (++count < total && waiting.length < atOnce) return;
    const all = waiting.reverse();
    waiting = [];
    for (const answer of all) answer();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const args = ['pets', 'import', '-', '--concurrency', String(atOnce), '--base-url', `http://127.0.0.1:${port}/v1`];
  const { code, stdout } = await petctl(args, { env: { PETCTL_API_KEY: 'k' }, input: lines(total) });
  server.close();
  server.closeAllConnections();
  expect([code, most]).toEqual([0, atOnce]);
  expect(outcomes(stdout)).toEqual(Array.from({ length: total }, (_, i) => `${i + 1} created`));
});

test('a rejected key stops it, and the remaining lines go to the --failed file', async () => {
  const { requests, env: recorded } = await record(() => refused(401, 'unauthorized'));
  const { code } = await petctl(
    ['pets', 'import', files.written('x', lines(50)), '--failed', files.failed, '--concurrency', '2'],
    { env: recorded },
  );
  expect(code).toBe(4);
  expect(requests.length).toBeLessThan(5);
  expect(files.again()).toBe(`${lines(50)}\n`);
});

test.each([
  { status: 201, body: '<p>' },
  { status: 201, body: '[]' },
  { status: 200, body: '{"id":1}' },
  { status: 204, body: '' },
])('a response that cannot be parsed is an unknown outcome: %o', async (reply) => {
  const { env: odd } = await record(() => reply);
  const args = ['pets', 'import', files.written('x', lines(1)), '--failed', files.failed];
  const { code, stdout } = await petctl(args, { env: odd });
  expect([code, outcomes(stdout)]).toEqual([9, ['1 unknown']]);
});

test('a call that may have been done is reported as unknown', async () => {
  const { env: recorded } = await record((request) =>
    named(request) === '2' ? 'break' : { status: 201, body: { id: 1 } },
  );
  const { code, stdout } = await petctl(['pets', 'import', '-'], { env: recorded, input: lines(3) });
  expect([code, outcomes(stdout)]).toEqual([9, ['1 created', '2 unknown', '3 created']]);
});

test('a closed pipe does not stop it halfway', async () => {
  const { requests, env: recorded } = await record(() => ({ status: 201, body: { id: 1, name: 'x'.repeat(500) } }));
  const file = files.written('many', lines(300));
  const line = `"$0" "$1" pets import "$2" | head -1; exit "\${PIPESTATUS[0]}"`;
  const code = await new Promise((done) => {
    const child = execFile(
      'bash',
      ['--norc', '-c', line, process.execPath, binary, file],
      { env: environment(recorded) },
      (error) => done(error?.code ?? 0),
    );
    child.stdin?.end();
  });
  expect([code, requests.length]).toEqual([0, 300]);
});

describe.skipIf(hasNoTerminal)('on a terminal', () => {
  test('a progress bar on stderr, results in the pipe', async () => {
    const { env } = await record((_, count) => ({ status: 201, body: { id: count } }));
    const file = files.written('x', lines(30));
    const { code, terminal, pipe } = await onTerminal(['pets', 'import', file], { env, pipe: true });
    expect([code, outcomes(pipe).length]).toEqual([0, 30]);
    expect(terminal).toMatch(/\[#+-*\] +\d+ % {2}\d+ created/);
    expect(terminal.endsWith('\r\u001b[Kpetctl: 30 created.\r\n')).toBe(true);
    expect((await onTerminal(['pets', 'import', file, '--quiet'], { env, pipe: true })).terminal).toBe('');
  });

  test('Ctrl-C waits for running calls, and saves exactly the remaining lines', async () => {
    const added: string[] = [];
    const { env: recorded } = await record((request, count) => {
      // Once this many have come, the terminal shows it, and the driver types Ctrl-C.
      if (count > 60) return 'hang';
      added.push(named(request));
      return { status: 201, body: { id: count } };
    });
    const file = files.written('x', lines(200));
    const args = ['pets', 'import', file, '--failed', files.failed, '--concurrency', '1', '--timeout', '3s'];
    const { code, pipe } = await onTerminal(args, {
      env: recorded,
      pipe: true,
      steps: [{ expect: '\\d+ created', send: '\u0003' }],
    });
    expect(code).toBe(130);
    const ok = outcomes(pipe)
      .filter((line) => line.endsWith('created'))
      .map((line) => line.split(' ')[0]);
    expect(ok).toEqual(added);
    const rest = files
      .again()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).name);
    expect([...added, ...rest]).toEqual(Array.from({ length: 200 }, (_, i) => String(i + 1)));
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

test('--unordered prints results as they arrive', async () => {
  let late: (() => void) | undefined;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    const answer = () => response.writeHead(201, { 'content-type': 'application/json' }).end(body);
    if (JSON.parse(body).name === '1') late = answer;
    else answer();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const args = ['pets', 'import', '-', '--unordered', '--base-url', `http://127.0.0.1:${port}/v1`];
  const child = start(args, { env: { PETCTL_API_KEY: 'k' } });
  child.stdin.end(lines(2));
  const rows: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    rows.push(...outcomes(text));
    late?.();
    late = undefined;
  });
  await once(child, 'close');
  server.close();
  server.closeAllConnections();
  expect(rows).toEqual(['2 created', '1 created']);
});

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s waits for running calls, and saves exactly the remaining lines', async (signal, exit) => {
  const added: string[] = [];
  const { env: recorded } = await record((request, count) => {
    added.push(named(request));
    if (count === 20) child.kill(signal);
    return { status: 201, body: { id: count } };
  });
  const file = files.written('x', lines(200));
  const child = start(['pets', 'import', file, '--failed', files.failed, '--concurrency', '4'], { env: recorded });
  child.stdout.resume();
  const [code] = await once(child, 'close');
  expect(code).toBe(exit);
  const rest = files
    .again()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).name);
  expect([...added, ...rest].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => String(i + 1)));
});

test('lines with an unknown outcome go to the --unknown file only', async () => {
  const { env: recorded } = await record((request) =>
    named(request) === '2'
      ? 'break'
      : named(request) === '3'
        ? refused(400, 'invalid_request')
        : { status: 201, body: {} },
  );
  const unknown = `${files.failed}-unknown`;
  const args = ['pets', 'import', files.written('x', lines(4)), '--failed', files.failed, '--unknown', unknown];
  const { code, stderr } = await petctl(args, { env: recorded });
  expect([code, stderr]).toEqual([9, expect.stringContaining('2 created, 1 failed, 1 unknown.')]);
  expect([files.again(), readFileSync(unknown, 'utf8')].map((text) => JSON.parse(text).name)).toEqual(['3', '2']);
});

test('a full disk under the --failed file stops it with an error', async () => {
  const { env: recorded, requests } = await record(() => ({ status: 201, body: { id: 1 } }));
  const file = files.written('x', `{\n${lines(200)}`);
  const args = ['pets', 'import', file, '--failed', '/dev/full', '--concurrency', '1'];
  const { code, stdout, stderr } = await petctl(args, { env: recorded });
  expect([code, outcomes(stdout)[0], requests.length]).toEqual([1, '1 failed', 0]);
  expect(stderr).toBe('petctl: The records for /dev/full could not be written (ENOSPC). Check for a full disk.\n');
});

test('a second Ctrl-C does not wait', async () => {
  const { env: recorded } = await record(() => 'hang');
  const unknown = `${files.failed}-unknown`;
  const child = start(
    ['pets', 'import', files.written('x', lines(5)), '--failed', files.failed, '--unknown', unknown, '-v'],
    {
      env: recorded,
    },
  );
  let said = '';
  let pressed = 0;
  child.stderr.on('data', (text) => {
    said += text;
    const seen = [/> POST/, /Ctrl-C again/][pressed]?.test(said);
    if (!seen) return;
    pressed++;
    child.kill('SIGINT');
  });
  const [code] = await once(child, 'close');
  expect([code, pressed]).toEqual([130, 2]);
  expect(readFileSync(unknown, 'utf8') + files.again()).toBe(`${lines(5)}\n`);
});
