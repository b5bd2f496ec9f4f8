import { spawnSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { operations } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import { exitCodes } from '../src/io/errors.ts';
import { binary, environment, petctl, petctlNode, scratch, unreachable } from './petctl.ts';
import { errorReply, listen, type Reply, record } from './recorder.ts';

const { minimum, maximum } = operations.listPets.fields.limit.schema;

describe('an invalid command line is rejected with a hint, and nothing is sent', () => {
  test.each([
    [['pets', 'list', '--page-size', String(minimum - 1)], `from ${minimum} to ${maximum}`],
    [['pets', 'list', '--page-size', String(maximum + 1)], `from ${minimum} to ${maximum}`],
    [['pets', 'list', '--limit', '0'], 'less than 1'],
    [['pets', 'list', '--limit', '5', '--all'], 'Use either --all or --limit'],
    [['pets', 'list', '--limit', '1e1'], 'decimal digits'],
    [['pets', 'list', '--limit', '0x1'], 'decimal digits'],
    [['pets', 'list', '--limit', ' 1'], 'decimal digits'],
    [['pets', 'list', '--limit', '01'], 'decimal digits'],
    [['pets', 'list', '--limit='], 'decimal digits'],
    [['pets', 'list', '--limit'], '--limit needs a value'],
    [['pets', 'list', '--limit', '1', '--limit', '2'], '--limit appears twice'],
    [['-o', 'tsv', 'pets', 'list', '-o', 'tsv'], '--output appears twice'],
    [['pets', 'list', '--after', '9007199254740993'], 'is more than 9007199254740991'],
    [['pets', 'list', '--status', 'availabel'], "Did you mean 'available'?"],
    [['pets', 'list', '--status', 'zzz'], "--status 'zzz' is none of available, pending, sold.\n"],
    [['pets', 'list', '--stauts', 'sold'], "Did you mean '--status'?"],
    [['pets', 'list', '--foo'], "has no flag --foo. See 'petctl pets list --help'.\n"],
    [['pets', 'lsit'], "Did you mean 'list'?"],
    [['pest', 'list'], "Did you mean 'pets'?"],
    [['pets', 'list', 'more'], "takes no argument 'more'"],
    [['auth', 'login', 'pk_secret'], "'petctl auth login' takes no argument"],
    [['auth', 'login', '--with-key=secret-key'], 'The value of --with-key is not true or false. Use --with-key=true'],
    [['pets', 'list', '--fields', 'nam'], "Did you mean 'name'?"],
    [['pets', 'list', '-o', 'jsn'], "Did you mean 'json'?"],
    [['pets', 'list', '--timeout', 'soon'], 'a time from 1ms to 35791m'],
    [['pets', 'list', '--timeout', '35792m'], 'a time from 1ms to 35791m'],
    [['pets', 'list', '--retries', '-1'], 'less than 0'],
    [['pets', 'list', '--base-url', 'ftp://x'], 'an http or https URL without user'],
    [['pets', 'list', '--base-url', 'http://u:secret@x/v1'], "'http://***@x/v1'"],
    [['pets', 'list', '--no-color=false'], '--no-color takes no value'],
    [['pets', 'list', '--base-url', 'http://x/v1', '--deployment', 'staging'], 'Use one of them'],
    [['pets', 'list', '--deployment', 'stagin'], "Did you mean 'staging'?"],
    [['pets', 'list', '--api-key', 'secret-key'], 'There is no flag for keys'],
    [['pets', 'get'], '<pet-id> is missing'],
    [['pets', 'get', '0'], 'is less than 1'],
    [['pets', 'get', '1.5'], 'whole number'],
    [['pets', 'create'], '--name and --category-id are missing'],
    [['pets', 'create', '--name', 'x'], '--category-id is missing'],
    [['pets', 'create', '--data', '{"name":"x"}'], '--category-id is missing'],
    [['pets', 'create', '--data', '{"name":"x","categoryId":1,"status":"dead"}'], 'available, pending, sold'],
    [['pets', 'create', '--data', '{"nmae":"x"}'], "Did you mean 'name'?"],
    [['pets', 'create', '--data', '{"name":"x","categoryId":1.5}'], 'categoryId 1.5 is no integer'],
    [['pets', 'create', '--data', '{"name":"x","categoryId":1e400}'], 'categoryId Infinity is no integer'],
    [['pets', 'create', '--data', '{"id":1}'], "no property 'id'"],
    [['pets', 'create', '--data', '{"name":{"toString":1}}'], 'name {"toString":1} is no string'],
    [['pets', 'create', '--data', '[]'], 'a JSON object'],
    [['pets', 'create', '--data', '{'], 'not JSON'],
    [['pets', 'create', '--data', '{"name":"A","n\\u0061me":"B"}'], "has the property 'name' twice"],
    [['pets', 'create', '--data', '@missing.json'], 'missing.json cannot be read (ENOENT)'],
    [['pets', 'create', '--data', '@'], "'' cannot be read (ENOENT)"],
    [['pets', 'import', ''], "'' cannot be read (ENOENT)"],
    [
      ['pets', 'import', '/dev/null', '--failed', ''],
      "--failed: '' cannot be written (ENOENT). Check its folder and permissions.",
    ],
    [['pets', 'create', '--data', '@/dev/zero'], '/dev/zero has more than 256 MiB'],
    [['help', 'pets', 'list', 'nothing'], "See 'petctl help pets list'."],
    [['help', 'pets', 'lits'], "Did you mean 'list'?"],
    [['pets', 'list', '--base-url', 'u:secret/1@x/v1'], "'***@x/v1'"],
    [['completion', 'bsh'], "Did you mean 'bash'?"],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await petctl(args, { env: unreachable });
    expect([code, stdout]).toEqual([exitCodes.usage.exit, '']);
    expect(stderr).toMatch(/^petctl: .*\n$/);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('secret-key');
  });

  test.skipIf(process.platform === 'win32')('a folder on stdin is rejected', () => {
    const stdin = openSync(scratch, 'r');
    for (const args of [
      ['pets', 'import', '-', '--dry-run'],
      ['pets', 'create', '--data', '-'],
    ]) {
      const { status, stderr } = spawnSync(petctlNode, [binary, ...args], {
        env: environment(unreachable),
        stdio: [stdin, 'pipe', 'pipe'],
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([
        exitCodes.usage.exit,
        'petctl: stdin is no file, pipe or terminal. Redirect a file to it: < FILE\n',
      ]);
    }
    closeSync(stdin);
  });

  test('text that is not UTF-8 is rejected', async () => {
    const file = join(scratch, 'latin1.json');
    writeFileSync(file, Buffer.from('{"name":"\xe9","categoryId":1}', 'latin1'));
    const { code, stderr } = await petctl(['pets', 'create', '--data', `@${file}`], { env: unreachable });
    expect([code, stderr]).toEqual([exitCodes.usage.exit, `petctl: ${file} is not UTF-8. Convert it to UTF-8.\n`]);
  });

  test('usage errors are one line of JSON with JSON output', async () => {
    for (const [args, more, hint] of [
      [['-o', 'json', 'pets', 'list', '--limit', '0'], {}, expect.any(String)],
      [['pets', 'list', '--nope', '-ojsonl'], {}, expect.any(String)],
      [['pets', 'list', '--output=json', '--status', 'x'], {}, null],
      [['nope'], { PETCTL_OUTPUT: 'json' }, expect.any(String)],
      [['pets', 'list', '-o', 'json', '--timeout', 'soon'], {}, null],
    ] as const) {
      const { code, stdout, stderr } = await petctl(args, { env: { ...unreachable, ...more } });
      expect([code, stdout]).toEqual([2, '']);
      const { error } = JSON.parse(stderr);
      expect(error).toMatchObject({ code: 'usage', status: null, requestId: null, exit: 2, hint });
      expect(Object.keys(error)).toEqual(['code', 'message', 'status', 'requestId', 'exit', 'hint']);
      expect(stderr).toMatch(/^.*\n$/);
    }
  });
});

describe('exit codes', () => {
  test.each([
    [errorReply(400, 'invalid_request'), exitCodes.rejected.exit],
    [errorReply(401, 'unauthorized'), exitCodes.unauthorized.exit],
    [errorReply(403, 'unauthorized'), exitCodes.unauthorized.exit],
    [errorReply(404, 'not_found'), exitCodes.not_found.exit],
    [errorReply(413, 'payload_too_large'), exitCodes.rejected.exit],
    [errorReply(429, 'rate_limited'), exitCodes.rate_limited.exit],
    [errorReply(500, 'internal_error'), exitCodes.failed.exit],
    [errorReply(503, 'unavailable'), exitCodes.failed.exit],
    [{ status: 502, headers: { 'content-type': 'text/html' }, body: '<b>\u001b[2J' }, exitCodes.failed.exit],
    [{ body: 'no json' }, exitCodes.failed.exit],
    [{ status: 302, headers: { location: 'https://elsewhere.example/v1' }, body: '' }, exitCodes.rejected.exit],
    ['break', exitCodes.unreachable.exit],
  ] satisfies [Reply | 'break', number][])('%j ends with the exit code %i', async (reply: Reply | 'break', exit) => {
    const { env } = await record(() => reply);
    const { code, stdout, stderr } = await petctl(['pets', 'list', '--retries', '0'], { env });
    expect([code, stdout]).toEqual([exit, '']);
    expect(stderr).toMatch(/^petctl: [^\p{Cc}]*\n$/u);
    const json = await petctl(['pets', 'list', '--retries', '0', '-o', 'json'], { env });
    expect([json.code, json.stdout]).toEqual([exit, '']);
    expect(JSON.parse(json.stderr).error).toMatchObject({
      exit,
      status: reply === 'break' ? null : (reply.status ?? 200),
    });
  });

  test('the error for a response that breaks off says so, not that the service could not be reached', async () => {
    const { env } = await record(() => ({ headers: { 'content-length': '9', connection: 'close' }, body: '[' }));
    const { code, stderr } = await petctl(['pets', 'list', '--retries', '0'], { env });
    expect(code).toBe(exitCodes.unreachable.exit);
    expect(stderr).toBe(
      'petctl: the response could not be read (ECONNRESET). Check the service, or select another with --base-url or --deployment.\n',
    );
  });

  test.each([
    [errorReply(400, 'invalid_request'), 'Correct the input that the message names'],
    [errorReply(405, 'method_not_allowed'), 'Use another method'],
    [errorReply(409, 'request_in_flight'), 'Repeat the request with the same idempotency key'],
    [{ status: 304, body: '' }, 'Check --base-url'],
    [{ status: 302, body: '' }, 'Check --base-url'],
    [{ status: 400, body: '<p>from a proxy</p>' }, 'Check --base-url'],
  ])('the hint for %j is %j', async (reply, hint) => {
    const { env } = await record(() => reply);
    const { code, stderr } = await petctl(['pets', 'list', '-o', 'json', '--retries', '0'], { env });
    expect([code, JSON.parse(stderr).error.hint]).toEqual([exitCodes.rejected.exit, expect.stringContaining(hint)]);
  });

  test('a redirect is not followed, and its target is named', async () => {
    const { env } = await record(() => ({
      status: 307,
      headers: { location: 'https://elsewhere.example/v1' },
      body: '',
    }));
    const { stderr } = await petctl(['pets', 'list'], { env });
    expect(stderr).toContain('redirects to https://elsewhere.example/v1');
    expect(stderr).toContain('--base-url');
  });

  test('an invalid response that names its location is no redirect', async () => {
    const { env } = await record(() => ({ status: 201, headers: { location: '/v1/pets/1' }, body: '<p>' }));
    const { code, stderr } = await petctl(['pets', 'create', '--name', 'A', '--category-id', '1'], { env });
    expect([code, stderr.includes('redirect')]).toEqual([exitCodes.failed.exit, false]);
  });

  test('429 has its own exit code, also if the timeout ends the retries', async () => {
    const { env } = await record(() => ({ ...errorReply(429, 'rate_limited'), headers: { 'retry-after': '60' } }));
    const { code } = await petctl(['pets', 'list', '--timeout', '1s'], { env });
    expect(code).toBe(exitCodes.rate_limited.exit);
  });

  test('a host that does not listen or exist is unreachable', async () => {
    for (const url of ['http://127.0.0.1:1/v1', 'http://no-such-host.invalid/v1']) {
      const { code, stderr } = await petctl(['pets', 'list', '--retries', '0', '--base-url', url], {
        env: unreachable,
      });
      expect(code).toBe(exitCodes.unreachable.exit);
      expect(stderr).toMatch(/could not be reached.*\((ECONNREFUSED|ENOTFOUND|EAI_AGAIN)\)/);
    }
  });

  test('a response after the timeout is an error', async () => {
    const { env, requests } = await record(() => 'hang');
    const { code, stderr } = await petctl(['pets', 'list', '--timeout', '300ms', '-o', 'json'], { env });
    expect(code).toBe(exitCodes.unreachable.exit);
    // On a busy machine, not even the first request arrives in time.
    expect(requests.length).toBeLessThan(2);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'timeout', hint: expect.stringContaining('--timeout') });
  });

  test('without a key, nothing is sent', async () => {
    const { env, requests } = await record(() => ({}));
    const { code, stderr } = await petctl(['pets', 'list'], { env: { ...env, PETCTL_API_KEY: undefined } });
    expect([code, requests]).toEqual([exitCodes.unauthorized.exit, []]);
    expect(stderr).toContain("Log in with 'petctl auth login', or set");
    const elsewhere = await petctl(['pets', 'list', '--deployment', 'staging']);
    expect(elsewhere.stderr).toContain("Log in with 'petctl auth login' and the same --deployment, or set");
  });
});

describe('retries', () => {
  test('a safe request is retried twice by default, after Retry-After', async () => {
    const { env, requests } = await record((_, count) =>
      count < 3 ? { ...errorReply(503, 'unavailable'), headers: { 'retry-after': '0' } } : { body: [] },
    );
    expect((await petctl(['pets', 'list'], { env })).code).toBe(0);
    expect(requests.length).toBe(3);
  });

  test('a create is retried with one idempotency key', async () => {
    const { env, requests } = await record(() => 'break');
    expect((await petctl(['pets', 'create', '--name', 'x', '--category-id', '1'], { env })).code).toBe(3);
    expect(requests.length).toBe(3);
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });
});

test('a response that is too large is an error of the service', async () => {
  const part = Buffer.alloc(2 ** 20, 'x');
  const server = createServer((_request, response) => {
    let count = 0;
    const write = () => {
      while (!response.destroyed && count++ < 300) if (!response.write(part)) return response.once('drain', write);
      return response.end();
    };
    write();
  });
  const env = { ...unreachable, PETCTL_BASE_URL: `http://127.0.0.1:${await listen(server)}/v1` };
  expect(await petctl(['pets', 'list', '--retries', '0', '--timeout', '10m'], { env })).toMatchObject({
    code: 8,
    stderr: 'petctl: The response has more than 256 MiB. Check --base-url; -v shows the request.\n',
  });
});
