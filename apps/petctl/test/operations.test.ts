// A command for each operation of the spec, flags for its inputs, --data for any body. `--dry-run` and `--curl`.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingProgram, missingShell, skips } from '@petstore/testing';
import { type Operation, operations, service, typeIn } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import { binary, petctlNode } from './binary.ts';
import { petctl } from './run.ts';
import { scratch, unreachable } from './scratch.ts';
import { type Recorded, record } from './services.ts';

const hasNoCurl = skips(
  'What --curl prints, as curl sends it',
  missingShell ?? missingProgram('curl'),
  'curl',
);

type IsSet = (field: Operation['fields'][string]) => boolean;

/** A valid value of each input; a text contains characters that have to be escaped. */
function samplesOf({ fields }: Operation, isSet: IsSet) {
  return Object.entries(fields).flatMap(([name, field]) => {
    const { type, enum: values, minimum = 0 } = field.schema;
    const value = values?.[0] ?? (type === 'string' ? "it's a & / ü?" : Math.max(minimum, 7));
    return isSet(field) ? [{ name, value, in: field.in }] : [];
  });
}

const kebab = (name: string) => name.replaceAll(/(?=[A-Z])/g, '-').toLowerCase();

/** The command line that sets all inputs that `isSet` accepts. */
function commandLine(operation: Operation, isSet: IsSet): string[] {
  const words = samplesOf(operation, isSet).map(({ name, value, in: place }) =>
    place === 'path' ? [String(value)] : [`--${kebab(name)}`, String(value)],
  );
  return [...operation.command, ...words.flat()];
}

/** A request as the spec says it. */
function expectedOf(operation: Operation, isSet: IsSet) {
  const samples = samplesOf(operation, isSet);
  const valuesIn = (place: string): Record<string, unknown> =>
    Object.fromEntries(
      samples.filter((one) => one.in === place).map(({ name, value }) => [name, value]),
    );
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(String(valuesIn('path')[name])),
  );
  return {
    method: operation.method,
    path: service.basePath + path,
    query: valuesIn('query'),
    body: valuesIn('body'),
  };
}

/** What the help has to say of a field. */
const wordsOf = ({ description, schema }: Operation['fields'][string]) =>
  [description, ...(schema.enum ?? []), schema.minimum, schema.maximum]
    .filter((said) => said !== undefined)
    .map(String);

const seen = ({ method, url, body }: Pick<Recorded, 'method' | 'url' | 'body'>) => {
  const { pathname, searchParams } = new URL(url, 'http://x');
  const query = [...searchParams].map(([name, value]) => [
    name,
    /^\d+$/.test(value) ? Number(value) : value,
  ]);
  return {
    method,
    path: pathname,
    query: Object.fromEntries(query),
    body: body ? JSON.parse(body) : {},
  };
};

describe.each(Object.values<Operation>(operations))('$id', (operation) => {
  const isList =
    typeIn(operation.responses[operation.successes[0] ?? '']?.schema ?? {}) === 'array';
  const reply = { status: operation.success ?? 200, body: isList ? [] : {} };
  const args = commandLine(operation, () => true);

  test('is sent as the spec says, with all inputs or only the required ones', async () => {
    const { requests, env } = await record(() => reply);
    const isRequired = ({ required }: { required: boolean }) => required;
    expect((await petctl(args, env)).code).toBe(0);
    expect((await petctl(commandLine(operation, isRequired), env)).code).toBe(0);
    expect(requests.map(seen)).toEqual([
      expectedOf(operation, () => true),
      expectedOf(operation, isRequired),
    ]);
    expect(requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${env.PETCTL_API_KEY}`,
      'user-agent': expect.stringMatching(/^petctl\//),
    });
  });

  test('--dry-run prints the request as JSON, --curl prints a command that sends it, and neither prints the key', async () => {
    const { requests, env } = await record(() => reply);
    const dryRun = await petctl([...args, '--dry-run'], env);
    const { url, method, headers, body } = JSON.parse(dryRun.stdout);
    expect(seen({ url, method, body: JSON.stringify(body ?? '') })).toMatchObject({
      method,
      path: expect.any(String),
    });
    expect(headers.authorization).toBe('Bearer $PETCTL_API_KEY');
    const curl = await petctl([...args, '--curl'], env);
    expect(curl.stdout).toMatch(/^curl .*\n$/);
    expect(dryRun.stdout + curl.stdout).not.toContain(env.PETCTL_API_KEY);
    expect(requests).toEqual([]);
    if (hasNoCurl) return;
    await petctl(args, env);
    const sent = { PATH: process.env.PATH, PETCTL_API_KEY: env.PETCTL_API_KEY };
    await new Promise((done) => execFile('sh', ['-c', curl.stdout], { env: sent }, done));
    const [ours, curls] = requests.map((request) => [seen(request), request.headers.authorization]);
    expect(curls).toEqual(ours);
  });

  test('help says what the spec says', async () => {
    const { stdout } = await petctl([...operation.command, '--help']);
    const text = stdout.replaceAll(/\s+/g, ' ');
    const fields = Object.entries(operation.fields).filter(
      ([name]) => name !== operation.pagination?.limit,
    );
    for (const said of fields.flatMap(([, field]) => wordsOf(field))) expect(text).toContain(said);
    if (operation.deprecated)
      expect(text).toContain(`is deprecated and will be removed on ${operation.sunset}`);
    expect((await petctl(['help', ...operation.command])).stdout).toBe(stdout);
  });
});

test.skipIf(hasNoCurl)('--curl takes a stored key from petctl', async () => {
  const { requests, env } = await record(() => ({ body: [] }));
  const { PETCTL_API_KEY: key, PETCTL_BASE_URL: url } = env;
  await petctl(['auth', 'login', '--base-url', url], {}, key);
  const { stdout } = await petctl(['pets', 'list', '--curl']);
  expect(stdout).toContain(`"authorization: Bearer $(petctl auth token --base-url '${url}')"`);
  const shell = `petctl() { '${petctlNode}' '${binary}' "$@"; }; ${stdout}`;
  await new Promise((done) =>
    execFile(
      'sh',
      ['-c', shell],
      { env: { PATH: process.env.PATH, HOME: scratch, PETCTL_KEYRING: 'false' } },
      done,
    ),
  );
  expect(requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`);
});

test('of several requests, --dry-run shows the first and says so', async () => {
  const shown = async (limit: string) =>
    (await petctl(['pets', 'list', '--dry-run', '--limit', limit], unreachable)).stderr;
  expect([await shown('100'), await shown('101')]).toEqual([
    '',
    'petctl: Only the first of the requests is shown.\n',
  ]);
});

const latin1 = join(scratch, 'latin1');

describe('--data', () => {
  const create = async (args: string[], input = '') => {
    const { stdout, stderr } = await petctl(
      ['pets', 'create', '--dry-run', ...args],
      unreachable,
      input,
    );
    return stdout ? stdout.slice(stdout.indexOf('"body"')).replaceAll(/\s/g, '') : stderr;
  };

  test('is JSON, a file or stdin, and flags override its properties', async () => {
    const json = '{"name":"A","categoryId":1}';
    const file = join(scratch, 'pet.json');
    writeFileSync(file, `\ufeff${json}`);
    const body = `"body":${json}}`;
    expect(await create(['-d', json])).toBe(body);
    expect(await create(['--data', `@${file}`])).toBe(body);
    expect(await create(['--data', '-'], json)).toBe(body);
    expect(await create(['--data', json, '--name', 'B'])).toBe(body.replace('A', 'B'));
  });

  test.each(['9223372036854775807', '-9223372036854775808'])(
    'the integer %s is exact, also in a flag',
    async (number) => {
      const body = `"body":{"name":"A","categoryId":${number}}}`;
      expect(await create(['--data', `{"name":"A","categoryId":${number}}`])).toBe(body);
      expect(await create(['--name', 'A', '--category-id', number])).toBe(body);
    },
  );

  test.each([
    ['{', 'JSON'],
    ['[]', 'not a JSON object'],
    ['{"name":"A","name":"B"}', "the property 'name' twice"],
    ['{"nmae":"A"}', "Did you mean 'name'?"],
    ['{"name":"A"}', '--category-id is missing'],
    ['{"name":"A","categoryId":1e400}', 'the number 1e400 has more than 64 bits'],
    ['{"name":"A","categoryId":9007199254740992.5}', 'would be rounded'],
    ['{"name":"A","categoryId":1e300}', 'the number 1e+300 has more than 64 bits'],
    ['@missing.json', '(ENOENT)'],
    ['@/dev/zero', 'more than 64 MiB'],
    [`@${latin1}`, 'encoding'],
  ])('%j is rejected before anything is sent: %s', async (data, message) => {
    writeFileSync(latin1, Buffer.from('{"name":"\xe4"}', 'latin1'));
    expect(await create(['--data', data])).toContain(message);
  });
});

test('--idempotency-key is sent as it is', async () => {
  const { requests, env } = await record(() => ({ status: 201, body: {} }));
  await petctl(
    ['pets', 'create', '--name', 'A', '--category-id', '1', '--idempotency-key', 'mine'],
    env,
  );
  expect(requests[0]?.headers['idempotency-key']).toBe('mine');
});

test('a value that looks like an option of every command is a value', async () => {
  const { stdout } = await petctl(
    ['pets', 'create', '--name', '-v', '--category-id', '-5', '--dry-run'],
    unreachable,
  );
  expect(JSON.parse(stdout).body).toEqual({ name: '-v', categoryId: -5 });
});
