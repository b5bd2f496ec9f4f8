import { execFile } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { missingProgram, missingShell, skips } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { kebab } from '../src/flags/flag.ts';
import { parseValue } from '../src/flags/parse-value.ts';
import { type Operation, operations, typeIn } from '../src/old.ts';
import { petctl } from './petctl.ts';
import { record } from './recorder.ts';

const hasNoCurl = skips('What --curl prints, as curl sends it', missingShell ?? missingProgram('curl'), 'curl');

/** A valid value; a text contains characters that have to be escaped. */
function sampleOf({ schema }: Operation['fields'][string]): string | number {
  const { type, enum: values, minimum = 0 } = schema;
  return (values?.[0] as string | undefined) ?? (type === 'string' ? "it's a & / ü?" : Math.max(minimum, 7));
}

/** Operations with JSON whose inputs can have these values. The drift check sends the inputs of all operations. */
const all = Object.values<Operation>(operations).filter(
  ({ fields, body, responses }) =>
    !body?.whole &&
    Object.values(responses).every(({ kind = 'json' }) => kind === 'json') &&
    Object.values(fields).every((one) =>
      isDeepStrictEqual(parseValue(`${sampleOf(one)}`, one.schema), { value: sampleOf(one) }),
    ),
);

describe.each(all)('$id', (operation) => {
  const fields = Object.entries(operation.fields);
  const args = [
    ...operation.command,
    ...fields.flatMap(([field, one]) =>
      one.in === 'path' ? [String(sampleOf(one))] : [`--${kebab(field)}`, String(sampleOf(one))],
    ),
  ];
  const inputsIn = (location: string) => fields.filter(([, one]) => one.in === location);
  const path = inputsIn('path').reduce(
    (url, [field, one]) => url.replace(`{${field}}`, String(sampleOf(one))),
    operation.path,
  );
  const isList = typeIn(operation.responses[operation.successes[0] ?? '']?.schema ?? {}) === 'array';
  const reply = { status: operation.success ?? 200, body: isList ? [] : {} };

  test('is sent as the spec says', async () => {
    const { requests, env } = await record(() => reply);
    expect((await petctl(args, { env })).code).toBe(0);
    expect(requests.length).toBe(1);
    const [request] = requests;
    const url = new URL(request?.url ?? '', 'http://x');
    expect([request?.method, url.pathname]).toEqual([operation.method, `/v1${path}`]);
    expect(Object.fromEntries(url.searchParams)).toEqual(
      Object.fromEntries(inputsIn('query').map(([field, one]) => [field, String(sampleOf(one))])),
    );
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${env.PETCTL_API_KEY}`,
      accept: 'application/json',
      'user-agent': expect.stringMatching(/^petctl\//),
    });
    expect(request?.body ? JSON.parse(request.body) : undefined).toEqual(
      operation.body ? Object.fromEntries(inputsIn('body').map(([field, one]) => [field, sampleOf(one)])) : undefined,
    );
  });

  test('an optional input is sent only if it is given, also one with a server default', async () => {
    const { requests, env } = await record(() => reply);
    const required = [
      ...operation.command,
      ...fields
        .filter(([, { required }]) => required)
        .flatMap(([field, one]) =>
          one.in === 'path' ? [String(sampleOf(one))] : [`--${kebab(field)}`, String(sampleOf(one))],
        ),
    ];
    await petctl(required, { env });
    expect(requests[0]?.url).toBe(`/v1${path}`);
  });

  test('--dry-run and --curl print the request without sending it, and curl sends the same', async () => {
    const { requests, env } = await record(() => reply);
    const keyless = { ...env, PETCTL_API_KEY: undefined };
    const dryRun = await petctl([...args, '--dry-run'], { env: keyless });
    expect(dryRun.code).toBe(0);
    expect(dryRun.stdout).toContain(`${operation.method} ${env.PETCTL_BASE_URL}${path}`);
    expect(dryRun.stdout).toContain('authorization: Bearer $PETCTL_API_KEY\n');
    expect(JSON.parse((await petctl([...args, '--dry-run', '-o', 'json'], { env: keyless })).stdout)).toMatchObject({
      method: operation.method,
    });
    const curl = await petctl([...args, '--curl'], { env: keyless });
    expect(curl.stdout).toMatch(/^curl .*\n$/);
    expect(requests).toEqual([]);

    if (hasNoCurl) return;
    await petctl(args, { env });
    await new Promise((done) =>
      execFile(
        'sh',
        ['-c', curl.stdout],
        { env: { PATH: process.env.PATH, PETCTL_API_KEY: env.PETCTL_API_KEY } },
        done,
      ),
    );
    const [ours, curls] = requests.map(({ method, url, headers, body }) => ({
      method,
      url,
      body,
      authorization: headers.authorization,
      type: headers['content-type'],
    }));
    expect(curls).toEqual(ours);
  });
});
