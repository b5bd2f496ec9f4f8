// Errors on one line with hint and request identifier, as JSON with -o json; exit codes that mean something.
import { operations } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import { petctl, resultOf, start } from './run.ts';
import { unreachable } from './scratch.ts';
import { errorReply, type Reply, record, serve } from './services.ts';

const { minimum, maximum } = operations.getPet.fields.petId.schema;

describe('an invalid command line is rejected with a hint, and nothing is sent', () => {
  test.each([
    [['pets', 'list', '--limit', '0'], 'a whole number from 1'],
    [['pets', 'list', '--limit', '5', '--all'], "'--all' cannot be used with option '--limit"],
    [['pets', 'list', '--limit', '1e1'], "not '1e1'"],
    [['pets', 'list', '--limit', '01'], "not '01'"],
    [['pets', 'list', '--limit'], 'argument missing'],
    [
      ['pets', 'list', '--after', '9007199254740993'],
      `to ${operations.listPets.fields.after.schema.maximum}`,
    ],
    [['pets', 'list', '--status', 'zzz'], 'one of available, pending, sold'],
    [['pets', 'list', '--stauts', 'sold'], "Did you mean '--status'?"],
    [
      ['pets', 'list', '--foo'],
      "'petctl pets list' has no option '--foo'. See 'petctl pets list --help'.",
    ],
    [['pets', '--limt'], "'petctl pets' has no option '--limt'. See 'petctl pets --help'."],
    [['pets', 'lsit'], "Did you mean 'list'?"],
    [['pest', 'list'], "Did you mean 'pets'?"],
    [['pets', 'list', 'secret'], 'too many arguments'],
    [['auth', 'login', 'secret'], 'too many arguments'],
    [['pets', 'list', '--api-key=secret'], "'petctl auth login'"],
    [['pets', 'list', '-xsecret'], "has no option '-x'"],
    [['pets', 'list', '--fields', 'nam'], "Did you mean 'name'?"],
    [['pets', 'list', '-o', 'jsn'], '--output must be one of table, tsv, json'],
    [['pets', 'list', '--timeout', 'soon'], 'a time from 1ms'],
    [['pets', 'list', '--timeout', '35792m'], 'a time from 1ms'],
    [['pets', 'list', '--retries', '-1'], 'from 0 to 100'],
    [['pets', 'list', '--base-url', 'ftp://x'], 'without a user or'],
    [['pets', 'list', '--base-url', 'http://u:secret@x/v1'], 'without a user or'],
    [['pets', 'list', '--base-url', 'http://x/v1', '--deployment', 'staging'], 'only one'],
    [['pets', 'get'], "Missing required argument 'pet-id'"],
    [['pets', 'get', '0'], `from ${minimum} to ${maximum}`],
    [['pets', 'create'], '--name and --category-id are missing'],
    [
      ['pets', 'create', '--name', 'x', '--category-id', '9223372036854775808'],
      'a 64-bit whole number',
    ],
    [['pets', 'import', ''], '(ENOENT)'],
    [['pets', 'get', 'abc'], '<pet-id> must be a 64-bit whole number from 1 to'],
    [
      ['pets', 'create', '--name', 'x', '--category-id', '1', '--idempotency-key', 'a b'],
      'not a valid key',
    ],
    [['help', 'lsit'], "'petctl' has no command 'lsit'"],
    [['help', 'pets', 'lsit'], "Did you mean 'list'?"],
    [['pets', 'help', 'lsit'], "Did you mean 'list'?"],
    [['pets', 'lsit', '--help'], "Did you mean 'list'?"],
    [['pets'], "'petctl pets' needs a command. Use list, create, import, get"],
    [['auth'], "'petctl auth' needs a command."],
    [[], "'petctl' needs a command. Use pets, "],
    [['completion', 'bsh'], '<shell> must be one of bash, zsh, fish'],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await petctl(args, unreachable);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^petctl: .*\n$/);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('secret');
  });

  test('the error is one line of JSON with JSON output, even if the command line cannot be read', async () => {
    for (const [args, more] of [
      [['-o', 'json', 'pets', 'list', '--limit', '0'], {}],
      [['pets', 'list', '-qo', 'json', '--limit', '0'], {}],
      [['pets', 'list', '--limit', '0', '-qojson'], {}],
      [['pets', '-o', 'json'], {}],
      [['pets', 'lsit', '-o', 'json', '--help'], {}],
      [['pets', 'list', '-o', 'csv', '-o', 'json', 'x'], {}],
      [['pets', 'list', '--nope', '-ojsonl'], {}],
      [['pets', 'list', '--output=json', '--status', 'x'], {}],
      [['nope'], { PETCTL_OUTPUT: 'json' }],
    ] as const) {
      const { code, stderr } = await petctl(args, { ...unreachable, ...more });
      const { error } = JSON.parse(stderr);
      expect({ code, properties: Object.keys(error) }).toEqual({
        code: 2,
        properties: ['code', 'message', 'status', 'requestId', 'exit', 'hint'],
      });
      expect(error).toMatchObject({ code: 'usage', status: null, requestId: null, exit: 2 });
    }
  });
});

describe('exit codes', () => {
  const html = { status: 404, headers: { 'content-type': 'text/html' }, body: '<b>no</b>' };

  test.each([
    [errorReply(400, 'invalid_request'), 6],
    [errorReply(401, 'unauthorized'), 4],
    [errorReply(403, 'unauthorized'), 4],
    [errorReply(404, 'not_found'), 6],
    [errorReply(409, 'request_in_flight'), 6],
    [errorReply(429, 'rate_limited'), 7],
    [errorReply(500, 'internal_error'), 8],
    [errorReply(503, 'unavailable'), 8],
    [
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<b>\u001b[2J\u009b\u202e' },
      8,
    ],
    [{ body: 'no json' }, 8],
    [{ status: 302, headers: { location: 'https://elsewhere.example/v1' }, body: '' }, 6],
    [{ headers: { 'content-length': '9', connection: 'close' }, body: '[' }, 3],
    ['break', 3],
  ] satisfies [Reply | 'break', number][])(
    '%j ends with %i',
    async (reply: Reply | 'break', exit) => {
      const { env } = await record((): Reply | 'break' => reply);
      const { code, stdout, stderr } = await petctl(['pets', 'list', '--retries', '0'], env);
      expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
      expect(stderr).toMatch(/^petctl: [^\p{Cc}\u202e]*\n$/u);
      const json = await petctl(['pets', 'list', '--retries', '0', '-o', 'json'], env);
      expect(JSON.parse(json.stderr).error.exit).toBe(exit);
    },
  );

  test('an error response is printed with the identifier of its request and a hint', async () => {
    const { env } = await record(() => ({
      ...errorReply(404, 'not_found'),
      headers: { 'x-request-id': 'r-1' },
    }));
    expect((await petctl(['pets', 'get', '1', '-q'], env)).stderr).toBe(
      'petctl: it is not_found (HTTP 404, request r-1) Check the identifier and --base-url.\n',
    );
    expect(
      JSON.parse((await petctl(['pets', 'get', '1', '-q', '-o', 'json'], env)).stderr).error,
    ).toEqual({
      ...{ code: 'not_found', message: 'it is not_found', status: 404, requestId: 'r-1', exit: 5 },
      hint: 'Check the identifier and --base-url.',
    });
  });

  test('a redirect elsewhere is not followed, and its target is named', async () => {
    const { env } = await record(() => ({
      status: 307,
      headers: { location: 'https://elsewhere.example/v1' },
      body: '',
    }));
    const { stderr } = await petctl(['pets', 'list'], env);
    expect(stderr).toContain('redirects to https://elsewhere.example/v1.');
  });

  test('the hint for a base URL without the version segment says how it should end', async () => {
    const { env, origin } = await record(() => errorReply(404, 'not_found'));
    const { stderr } = await petctl(['pets', 'list', '--base-url', origin], {
      ...env,
      PETCTL_BASE_URL: undefined,
    });
    expect(stderr).toContain('should end with /v1.');
  });

  test('a wrong address has another exit code than a missing pet', async () => {
    const missing = errorReply(404, 'not_found');
    const { env, origin } = await record(({ url }) => (url.startsWith('/html') ? html : missing));
    const get = async (path: string) => {
      const baseUrl = origin + path;
      const { code, stderr } = await petctl(['pets', 'get', '1', '-q'], {
        ...env,
        PETCTL_BASE_URL: baseUrl,
      });
      return [code, stderr.includes(`There is no Petstore at ${baseUrl}.`)];
    };
    expect(await get('/v1')).toEqual([5, false]);
    expect(await get('/v2')).toEqual([6, true]);
    expect(await get('/html/v1')).toEqual([6, true]);
    // The operation declares no 404.
    expect((await petctl(['pets', 'list'], env)).code).toBe(6);
  });

  test('a host that does not listen or exist, and a response after --timeout, are unreachable', async () => {
    for (const url of ['http://127.0.0.1:1/v1', 'http://no-such-host.invalid/v1']) {
      const { code, stderr } = await petctl(['pets', 'list'], {
        ...unreachable,
        PETCTL_BASE_URL: url,
      });
      expect({ code, stderr }).toEqual({
        code: 3,
        stderr: expect.stringMatching(/failed \((ECONNREFUSED|E\w+)\)/),
      });
    }
    const { env } = await record(() => 'hang');
    const late = await petctl(['pets', 'list', '--timeout', '300ms', '-o', 'json'], env);
    expect({ code: late.code, errorCode: JSON.parse(late.stderr).error.code }).toEqual({
      code: 3,
      errorCode: 'timeout',
    });
  });

  test('a response that is nested deeply is printed, or is an error if it cannot be parsed exactly', async () => {
    const nested = (inner: string) => `${'['.repeat(100_000)}${inner}${']'.repeat(100_000)}`;
    const printed = await petctl(
      ['pets', 'list', '-o', 'json'],
      (await record(() => ({ body: nested('') }))).env,
    );
    expect([printed.code, printed.stdout.replaceAll(/\s/g, '') === nested('')]).toEqual([0, true]);
    const { env } = await record(() => ({ body: nested('9007199254740993') }));
    const { code, stderr } = await petctl(['pets', 'list', '-o', 'jsonl'], env);
    expect({ code, message: JSON.parse(stderr).error.message }).toEqual({
      code: 8,
      message: expect.stringContaining('call stack'),
    });
  });

  test('a response that does not end is an error', async () => {
    const part = Buffer.alloc(2 ** 20, 'x');
    const origin = await serve((_request, response) => {
      const write = () => {
        while (!response.destroyed && response.write(part));
        response.once('drain', write);
      };
      write();
    });
    const env = { ...unreachable, PETCTL_BASE_URL: `${origin}/v1` };
    expect(await petctl(['pets', 'list', '--timeout', '10m'], env)).toMatchObject({
      code: 8,
      stderr: 'petctl: The response is too long. Check --base-url.\n',
    });
  });
});

test('a value that only looks like an option does not decide the format', async () => {
  const args = ['pets', 'create', '--name', '-ojson', '--category-id', 'x'];
  expect((await petctl(args, unreachable)).stderr).toMatch(/^petctl: --category-id must be/);
});

test('a fault of petctl itself is reported as a bug', async () => {
  const running = start(['pets', 'list', '--dry-run'], unreachable);
  running.stdout.write = () => {
    throw new TypeError('a fault');
  };
  const { code, stderr } = await resultOf(running);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('TypeError: a fault'),
  });
  expect(stderr).toContain('This is a bug in petctl: please report it.');
});

test('a write is retried twice with one idempotency key, and --verbose shows this without the API key', async () => {
  const { env, requests } = await record(() => ({
    ...errorReply(503, 'unavailable'),
    headers: { 'retry-after': '0' },
  }));
  const { code, stderr } = await petctl(
    ['pets', 'create', '--name', 'x', '--category-id', '1', '-v'],
    env,
  );
  expect({ code, requests: requests.length }).toEqual({ code: 8, requests: 3 });
  expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  expect(stderr.match(/^> POST http:\S+\/v1\/pets$/gm)?.length).toBe(3);
  expect(stderr).toMatch(/^< 503 in \d+ ms/m);
  expect(stderr).not.toContain(env.PETCTL_API_KEY);
});

test('a deprecated command says so on stderr, once, and --quiet hides it', async () => {
  const { env } = await record(() => ({ body: {} }));
  expect((await petctl(['pets', 'get', '1'], env)).stderr).toBe(
    `petctl: 'petctl pets get' is deprecated and will be removed on ${operations.getPet.sunset}. Use 'petctl pets list' instead.\n`,
  );
  expect((await petctl(['pets', 'get', '1', '-q'], env)).stderr).toBe('');
});
