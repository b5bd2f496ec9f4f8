import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { expectLinearAsync } from '@petstore/testing/linear';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateWhatFits, loadClient, typeErrors } from './generated-client.ts';
import { type GeneratedServer, startGeneratedServer } from './generated-server.ts';

const KEY = 'a-key+that-is-for-tests';
const folder = newFolder('hostile', afterAll);
const warnings: string[] = [];
const { warn } = console;
let server: GeneratedServer;
beforeAll(async () => {
  console.warn = (text: string) => void warnings.push(text);
  const { files, rejected } = await generateWhatFits(join(import.meta.dirname, 'hostile.yaml'));
  expect(rejected).toEqual([]);
  await loadClient(files, folder);
  server = await startGeneratedServer(folder, new Set([KEY]));
});
afterAll(() => {
  console.warn = warn;
  return server?.stop();
});

async function call(target: string, init: RequestInit = {}): Promise<[status: number, message: string | undefined]> {
  const signal = AbortSignal.timeout(30_000);
  const response = await fetch(server.origin + server.basePath + target, { signal, ...init });
  const text = await response.text();
  return [response.status, text === '' ? undefined : JSON.parse(text).message];
}

const post = (path: string, value: unknown, method = 'POST') =>
  call(path, {
    method,
    headers: { 'content-type': 'application/json', 'x-api-key': KEY },
    body: JSON.stringify(value),
  });

test.each([
  ['a cookie', '/cookie', { cookie: 'session=%ff' }],
  ['a cookie with another right one', '/cookie', { cookie: 'session=%; theme=a' }],
  ['the query', '/query?api_key=%ff', {}],
  ['a name in the query', '/query?%ff=1', {}],
  ['another parameter of the query', `/query??api_key=${encodeURIComponent(KEY)}`, {}],
  ['a query that has two', `/query?api_key=${encodeURIComponent(KEY)}&api_key=x`, {}],
])('a malformed key gets the response of any other wrong key: in %s', async (_, target, headers) => {
  expect(await call(target, { headers })).toEqual([401, 'The API key is missing or invalid.']);
});

test.each([
  ['a cookie', '/cookie', { cookie: `session=${KEY}` }],
  ['an escaped cookie', '/cookie', { cookie: `session=${encodeURIComponent(KEY)}` }],
  ['the query', `/query?api_key=${encodeURIComponent(KEY).replace('a', '%61')}`, {}],
])('a right key is accepted: in %s', async (_, target, headers) => {
  expect(await call(target, { headers })).toEqual([204, undefined]);
});

test.each([
  ['POST', '/metrics', 204],
  ['GET', '/metrics', 401],
  ['GET', '/', 204],
  ['GET', '/healthz', 200],
])('an operation goes before a page of the server at the same path: %s %s', async (method, path, expected) => {
  const { status } = await fetch(server.origin + path, { method, signal: AbortSignal.timeout(30_000) });
  expect(status).toBe(expected);
});

test('with a key, a malformed escape is reported', async () => {
  const [status, message] = await call(`/query?api_key=${encodeURIComponent(KEY)}&%ff=1`);
  expect([status, message]).toEqual([400, "'%ff' in the URL, form or cookies is not percent-encoded UTF-8"]);
});

test('bytes that the client already has are cancelled', async () => {
  const { promise: cancelled, resolve: cancel } = Promise.withResolvers<void>();
  server.respondWith(new ReadableStream({ cancel: () => cancel() }));
  expect(await call('/bytes', { headers: { 'if-none-match': '*' } })).toEqual([304, undefined]);
  await cancelled;
  server.respondWith(undefined);
});

test('additional properties of a body never become parameters', async () => {
  const body = { theme: 'dark', size: 2, id: 9, force: 'unchecked' };
  expect(await post('/settings/1', body, 'PUT')).toEqual([204, undefined]);
  expect(server.calls.at(-1)?.input).toEqual({ id: 1, theme: 'dark', size: 2 });
});

describe('every error is found in a small body, and the first one in any other', () => {
  test.each([
    ['few elements', [{}, {}], "body '0.a': it is missing; body '0.b': it is missing; body '1.a': it is missing; "],
    ['many elements', Array.from({ length: 10_000 }, () => ({})), "body '0.a': it is missing"],
    ['deep elements', [{ a: '', b: 1, c: [[[[]]]] }, {}], "body '1.a': it is missing"],
  ])('%s', async (_, value, message) => {
    const [status, text = ''] = await post('/list', value);
    expect([status, text.slice(0, message.length)]).toEqual([400, message]);
    expect(text.length > message.length).toBe(message.endsWith(' '));
  });
});

test.each([
  ['right', 'or', 204],
  ['wrong', 'xor', 400],
])('nested alternatives take bounded time: %s', async (_, kind, expected) => {
  let tree: unknown = { kind };
  for (let depth = 1; depth < 60; depth++) tree = { of: tree, kind: 'or', size: 2 ** 60 };
  const [status] = await post('/tree', tree);
  expect(status).toBe(expected);
});

test.each([
  [{ kind: 'Circle', radius: 1 }, 204],
  [{ kind: 'Dot' }, 204],
  [{ kind: 'Квадрат«1»', side: 1 }, 204],
  [{ kind: 1 }, 400],
  [{ radius: 1 }, 400],
])('alternatives that inherit from the schema that lists them are checked: %j', async (shape, expected) => {
  const [status] = await post('/shapes', shape);
  expect(status).toBe(expected);
});

test('types of alternatives that inherit from the schema that lists them compile', () => {
  expect(typeErrors(folder, ['.'])).toEqual([]);
}, 60_000);

test.each([
  ['date', '2024-02-29', ['2023-02-29', '2024-13-01', '2024-04-31', '24-01-01']],
  ['date-time', '2024-02-29T23:59:59.5+02:00', ['2023-02-29T00:00:00Z', '2024-01-01T24:00:00Z', '2024-01-01T00:00:00']],
  ['time', '12:30:00Z', ['24:00:00Z', '12:60:00Z', '12:30']],
  ['email', 'a.b@example.com', ['a@', 'a b@example.com', 'a..b@example.com']],
  ['uri', 'https://example.com/a?b#c', ['/a', 'https://exa mple.com']],
])('a value of the format %s is checked in full', async (format, right, wrong) => {
  expect(await post('/formats', { [format]: right })).toEqual([204, undefined]);
  for (const value of wrong)
    expect(await post('/formats', { [format]: value })).toEqual([
      400,
      `body '${format}': must match format "${format}"`,
    ]);
});

test('a format that only the document knows is neither checked nor reported', async () => {
  expect(await post('/formats', { size: -1 })).toEqual([204, undefined]);
  expect((await post('/formats', { size: 'x' }))[0]).toBe(400);
  expect(warnings).toEqual([]);
});

test.each([
  ['email', `${'a.'.repeat(100_000)}@`],
  ['email', `a@${'a-'.repeat(100_000)}`],
  ['uri', `https://${'a:'.repeat(100_000)}^`],
  ['uri', `https://a${'/a'.repeat(100_000)} `],
  ['date-time', `2024-01-01T00:00:00.${'0'.repeat(200_000)}`],
])('a long wrong value of the format %s takes bounded time', async (format, value) => {
  expect((await post('/formats', { [format]: value }))[0]).toBe(400);
});

test('equal elements are found in linear time', () =>
  expectLinearAsync(async (count) => {
    const elements = Array.from({ length: count }, (_, a) => ({ a }));
    expect(await post('/set', elements)).toEqual([204, undefined]);
  }, 4_000));

test.each<[unknown[], boolean]>([
  [[1, 1], false],
  [[1, '1', true, 'true', null, 'null', [], {}, '[]', '{}'], true],
  [
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    false,
  ],
  [
    [
      { a: 1, b: [2, 3] },
      { b: [3, 2], a: 1 },
    ],
    true,
  ],
  [[['a', 'b'], ['a,b'], ['"a","b"']], true],
  [[0, -0], false],
])('uniqueItems accepts %j: %s', async (value, isUnique) => {
  const message = 'body: must NOT have duplicate items';
  expect(await post('/set', value)).toEqual(isUnique ? [204, undefined] : [400, message]);
});
