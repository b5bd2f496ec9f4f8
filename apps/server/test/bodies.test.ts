// Bodies are read strictly and exactly, within bounds, and each fault is named.
import { expect, test } from 'vitest';
import { bothWays } from './listening.ts';
import { expectError, json, key, pet, request } from './wire.ts';

const send = bothWays();
const post = (body: string | Uint8Array, headers: Record<string, string> = json) =>
  send(request('POST /v1/pets', { ...key, ...headers }, body));

const numbers =
  '"1" 1.5 1e999 9223372036854775808 9223372036854775809 -9223372036854775809 1e19 99999999999999999999999999 9007199254740990.5 ' +
  '1.00000000000000000001';
test.each([
  ...[
    '',
    'null',
    '5',
    '[]',
    '"x"',
    '{malformed',
    '\ufeff{}',
    '{}',
    '{"name":"x"}',
    '{"categoryId":1}',
  ],
  ...numbers.split(' ').map((number) => `{"name":"x","categoryId":${number}}`),
  ...[
    '{"name":null,"categoryId":1}',
    '{"name":"\\ud800","categoryId":1}',
    '{"name":"x","\\ud800":1}',
  ],
  ...['{"name":"x","categoryId":1,"status":null}', '{"name":"x","categoryId":1,"status":"Sold"}'],
])('%s is rejected', async (body) => {
  expectError(await post(body), 'invalid_request');
});

test.each(['id', '__proto__', 'constructor', 'toString', 'colour', 'a/b', 'a~b', 'a~1b', 'a b'])(
  'the unknown member %s is rejected, and the message names it',
  async (member) => {
    const response = await post(`{"name":"x","categoryId":1,"${member}":{"a":1}}`);
    expect(expectError(response, 'invalid_request')).toBe(
      `body '${member}': there is no such property`,
    );
  },
);

test.each(['name', 'n\\u0061me'])(
  'the repeated member %s is rejected, and the message names it',
  async (member) => {
    expect(
      expectError(await post(`{"name":"x","categoryId":1,"${member}":"y"}`), 'invalid_request'),
    ).toContain("'name'");
  },
);

test('every violation is reported, of a large body the first', async () => {
  const violations = '"categoryId":"1","status":"dead","colour":1';
  const message = expectError(await post(`{${violations}}`), 'invalid_request');
  for (const name of ['name', 'categoryId', 'status', 'colour'])
    expect(message).toContain(`'${name}'`);
  expectError(await post(`{${violations},"long":"${'x'.repeat(2000)}"}`), 'invalid_request');
});

test.each(['9223372036854775808', '-9223372036854775809', '1e19', '9007199254740992.5'])(
  'the category %s is rejected, and the message names the property',
  async (number) => {
    const response = await post(`{"name":"x","categoryId":${number}}`);
    expectError(response, 'invalid_request');
    expect(JSON.parse(response.body).message).toMatch(/^body 'categoryId': /);
  },
);

test('an integer beyond 64 bits is refused as such, not by a rounded bound', async () => {
  const response = await post('{"name":"x","categoryId":9223372036854775808}');
  const message = expectError(response, 'invalid_request');
  expect(message).toBe("body 'categoryId': the number 9223372036854775808 has more than 64 bits");
});

test.each(['1e2', '100.0', '1.0e2', '0.1e3'])('%s is the integer 100', async (number) => {
  const response = await post(`{"name":"x","categoryId":${number}}`);
  expect([response.status, JSON.parse(response.body).categoryId]).toEqual([201, 100]);
});

test('invalid UTF-8 is rejected, not replaced', async () => {
  expectError(
    await post(Buffer.from('{"name":"\xff","categoryId":1}', 'latin1')),
    'invalid_request',
  );
});

test.each([
  ['deeply nested', '['.repeat(500_000)],
  [
    'deeply nested and closed',
    `{"name":"x","categoryId":${'['.repeat(100_000)}1.5${']'.repeat(100_000)}}`,
  ],
  ['full of unknown members', `{${Array.from({ length: 40_000 }, (_, i) => `"k${i}":1`)}}`],
])('a body that is %s is rejected in a short sentence', async (_, body) => {
  const response = await post(body);
  expectError(response, 'invalid_request');
  expect(response.body.length).toBeLessThan(2_000);
});

test('a body that is too large is rejected, with and without Content-Length', async () => {
  const large = ' '.repeat(2 ** 20 + 1);
  expectError(await post(large), 'payload_too_large');
  const chunked = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
  const head = request('POST /v1/pets', { ...key, ...json, 'Transfer-Encoding': 'chunked' });
  expectError(await send(Buffer.concat([head, Buffer.from(chunked)])), 'payload_too_large');
});

const types = [
  '',
  'text/plain',
  'text/json',
  'application/json; charset=latin1',
  'application/x-www-form-urlencoded',
];
test.each([...types, 'multipart/form-data; boundary=x'])(
  'the type %j is rejected',
  async (type) => {
    expectError(
      await post(pet('Rex'), type ? { 'Content-Type': type } : {}),
      'unsupported_media_type',
    );
  },
);

test.each([
  ...[
    'application/json',
    'application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ],
])('the type %j is accepted', async (type) => {
  expect((await post(pet('Rex'), { 'Content-Type': type })).status).toBe(201);
});

test('a compressed body is rejected', async () => {
  expectError(
    await post(pet('Rex'), { ...json, 'Content-Encoding': 'gzip' }),
    'unsupported_media_type',
  );
});

test('the body of a GET is ignored', async () => {
  expect(
    (await send(request('GET /v1/pets', { ...key, 'Content-Type': 'x/y' }, '{malformed'))).status,
  ).toBe(200);
});
