// What petctl prints can be imported, exactly: 400 names that are hard for a format, in each format.
import { join } from 'node:path';
import { rounds } from '@petstore/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { petctl } from './run.ts';
import { scratch } from './scratch.ts';
import { errorReply, record } from './services.ts';

/** Pieces of names: what some format, shell or terminal gives a meaning to. */
const pieces = [
  ...['\t', '\n', '\r', '\r\n', '\\', '\\t', '\\n', '\\\\', '\\u0041', '\\u001b', '"', '""', "'"],
  ...[',', ';', ' ', '  ', '{', '}', '[', ']', ':', '=', '#', '-', '`', '$x', '%', '<', '&'],
  ...['\u0000', '\u0007', '\u001b[31m', '\u007f', '\u0085', '\u00a0', '\u2028', '\u2029'],
  ...['\u200f', '\u202e', '\u2066', '\ufeff', '\ufffd', 'é', 'e\u0301', '日本', '😀', '\u{10ffff}'],
  ...['null', 'true', '1.0', '-0', 'name', 'id', 'A', 'zz'],
];

/** The same names in each run: a generator of pseudo-random numbers (Lehmer) picks the pieces. */
function hostileNames(count: number): string[] {
  let state = 20301205;
  const below = (limit: number) => {
    state = (state * 48271) % 2147483647;
    return state % limit;
  };
  const random = Array.from({ length: count - pieces.length - 1 }, () =>
    Array.from({ length: below(6) }, () => pieces[below(pieces.length)]).join(''),
  );
  return ['', ...pieces, ...random];
}

const statuses = ['available', 'pending', 'sold', undefined];
const pets = hostileNames(400).map((name, i) => ({
  id: i + 1,
  name,
  categoryId: i - 200,
  status: statuses[i % statuses.length],
}));
const imported = pets.map(({ id: _, ...pet }) => pet);
const byCategory = (a: { categoryId: number }, b: { categoryId: number }) =>
  a.categoryId - b.categoryId;

let service: Awaited<ReturnType<typeof record>>;
beforeAll(async () => {
  service = await record(({ method }) =>
    method === 'GET' ? { body: pets } : { status: 201, body: {} },
  );
});

describe('400 hostile names', () => {
  const quick = [[], ['-o', 'csv'], ['-o', 'jsonl'], ['--jq', '.[]']];
  const others = [
    ['-o', 'json'],
    ['-o', 'tsv'],
    ['--jq', '.'],
    ['--jq', '.[] | {categoryId, status, name} | del(.. | nulls)'],
    ['-o', 'jsonl', '--jq', '.'],
    ['-o', 'csv', '--fields', 'status,name,categoryId'],
  ];
  test.each(rounds(quick, [...quick, ...others]).map((args) => [args] as const))(
    'printed with %j and imported',
    async (args) => {
      const { env, requests } = service;
      const printed = await petctl(['pets', 'list', ...args], env);
      requests.length = 0;
      const { code, stderr } = await petctl(['pets', 'import', '-'], env, printed.stdout);
      expect({ code, stderr }).toEqual({ code: 0, stderr: 'petctl: 400 created.\n' });
      const bodies = requests.map(({ body }) => JSON.parse(body));
      expect(bodies.sort(byCategory)).toEqual(imported);
    },
  );
});

test.each(['tsv', 'csv', 'json', 'jsonl'])(
  'a --failed file of %s is imported again',
  async (output) => {
    const failedFile = join(scratch, `failed.${output}`);
    const few = pets.filter(({ name }) => name !== '').slice(0, 60);
    let isBroken = true;
    const { env, requests } = await record(({ method }) => {
      if (method === 'GET') return { body: few };
      return isBroken ? errorReply(400, 'invalid_request') : { status: 201, body: {} };
    });
    const { stdout } = await petctl(['pets', 'list', '-o', output], env);
    const first = await petctl(['pets', 'import', '-', '--failed', failedFile], env, stdout);
    expect(first.code).toBe(9);
    isBroken = false;
    requests.length = 0;
    expect((await petctl(['pets', 'import', failedFile], env)).code).toBe(0);
    const names = requests.map(({ body }) => JSON.parse(body).name);
    expect(names.sort()).toEqual(few.map(({ name }) => name).sort());
  },
);

test('integers of 64 bits stay exact', async () => {
  const ids = ['9223372036854775807', '-9223372036854775808'];
  const list = `[${ids.map((id, i) => `{"id":${i + 1},"name":"A","categoryId":${id}}`).join()}]`;
  const { env, requests } = await record(({ method }) =>
    method === 'GET' ? { body: list } : { status: 201, body: {} },
  );
  for (const args of [[], ['-o', 'csv'], ['-o', 'json'], ['--jq', '.[]']]) {
    const { stdout } = await petctl(['pets', 'list', ...args], env);
    requests.length = 0;
    await petctl(['pets', 'import', '-'], env, stdout);
    const sent = requests.map(({ body }) => body).sort();
    expect(sent).toEqual(ids.map((id) => `{"name":"A","categoryId":${id}}`).sort());
  }
});
