// Both modes give the same answers, byte for byte.
import { rounds } from '@petstore/testing';
import { apiKey } from '@petstore/testing/server';
import { type Operation, operations, service } from '@petstore/types';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bothWays } from './listening.ts';
import { json, key, pet, request } from './wire.ts';

const send = bothWays({ bodyLimit: 2000, corsOrigins: ['https://shop.test'] });
const seed = Number(process.env.PETSTORE_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`random requests get the same responses in both modes (PETSTORE_TEST_SEED=${seed})`, async () => {
  for (let i = 0; i < 30; i++)
    await send(request('POST /v1/pets', { ...key, ...json }, pet(`Ünï "${i}"`)));
  const count = rounds(60, 4000);
  let successes = 0;
  await fc.assert(
    fc.asyncProperty(requests, async (bytes) => {
      const { status, headers, body } = await send(bytes);
      if (status < 300) successes++;
      if (status < 400) return;
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      if (body) expect(JSON.parse(body).status).toBe(status);
    }),
    { numRuns: count, seed },
  );
  // Otherwise only errors would be compared.
  expect(successes).toBeGreaterThan(count / 10);
});

/** Mostly the common value, sometimes one of the others. */
function mostly<T, U>(common: T, ...others: U[]): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(common) }, fc.constantFrom(...others));
}

const odd = fc.constantFrom(
  ...[
    '0',
    '-1',
    '01',
    '1e1',
    '1.0',
    '0x1',
    '+1',
    '%31',
    '1%20',
    'abc',
    '',
    '9007199254740991',
    '9007199254740992',
  ],
  ...[
    'toString',
    '__proto__',
    '1[]',
    '1_',
    'null',
    'true',
    '%F0%9F',
    'é',
    '..',
    '.',
    '1;2',
    "1'",
    '%252f',
    '%2f',
  ],
  ...[
    '-0',
    '1e400',
    '%D9%A3',
    '%00',
    '1%0A',
    '9223372036854775807',
    '9223372036854775808',
    '0000000000000000001',
  ],
);

const all = Object.values<Operation>(operations);
const queryFields = all.flatMap(({ fields }) =>
  Object.entries(fields).filter(([, field]) => field.in === 'query'),
);
const pair = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(...queryFields).chain(([name, { schema }]) => {
      const valid = fc.constantFrom(...(schema.enum ?? [1, 2, 20, 100])).map(String);
      const value = fc.oneof(
        { weight: 4, arbitrary: valid },
        fc.integer({ min: -1, max: 200 }).map(String),
        odd,
      );
      return fc.tuple(fc.constant(name), value);
    }),
  },
  fc.tuple(
    fc.constantFrom('x', '__proto__', 'constructor', 'limit[]', 'Limit', 'petId', '', '%6Cimit'),
    odd,
  ),
);

const { status } = operations.createPet.fields;
/** Any character; fast-check's own units make a table of all of them first. */
const character = fc.nat({ max: 0x10_ff_ff }).map((code) => String.fromCodePoint(code));
const newPet = fc.record(
  {
    name: fc.oneof(
      fc.string({ unit: character, maxLength: 8 }),
      fc.constantFrom('', 'Rex', '\u0000', '\ud800'),
    ),
    categoryId: fc.oneof({ weight: 4, arbitrary: fc.integer() }, fc.maxSafeInteger(), fc.double()),
    status: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...status.schema.enum) },
      fc.constantFrom('dead', null),
    ),
    id: fc.integer(),
  },
  { requiredKeys: ['name', 'categoryId'] },
);
const oddBody = fc.constantFrom(
  ...[
    '',
    ' ',
    'null',
    '[]',
    '{}',
    '"x"',
    '1',
    '{',
    '{"name":"x","categoryId":1}}',
    '\ufeff{"name":"x"}',
  ],
  ...[
    '1e2',
    '1.0',
    '-0',
    '1e999',
    '9007199254740993',
    '-9223372036854775808',
    '9223372036854775807',
    '1e18',
  ]
    .concat([
      '9223372036854775808',
      '-9223372036854775809',
      '9007199254740993.0',
      '"1"',
      'true',
      '01',
      '1e-400',
    ])
    .concat(['922337203685477580.7e1', '-0.0', '0e99999'])
    .map((number) => `{"name":"x","categoryId":${number}}`),
  ...[
    '{"name":"x","categoryId":9007199254740993,"__proto__":{"status":"sold"}}',
    '{"name":"x","categoryId":1,"__proto__":{"status":"sold"}}',
    '{"name":"a","name":"b","categoryId":1}',
  ],
  ...['{"name":"a","n\\u0061me":"b","categoryId":1}', '{"n\\u0061me":"\\u0000","categoryId":1}'],
  ...['\\ud800', '\\udc00\\ud800', '\ufeff', '\\u2028'].map(
    (text) => `{"name":"${text}","categoryId":1}`,
  ),
  `{"name":"${'x'.repeat(3000)}","categoryId":1}`,
);
const type = mostly(
  'application/json',
  'APPLICATION/JSON;CHARSET="UTF-8"',
  'text/plain',
  'a/b, c/d',
  undefined,
);

/** Requests that are valid, or mostly so. */
const requests = fc
  .record({
    operation: fc.constantFrom(...all),
    identifier: fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 40 }).map(String) },
      odd,
    ),
    pairs: fc.array(pair, { maxLength: 3 }),
    body: fc.oneof({ weight: 3, arbitrary: newPet.map((each) => JSON.stringify(each)) }, oddBody),
    method: mostly(undefined, 'HEAD', 'OPTIONS', 'POST', 'PUT', 'get'),
    path: mostly(
      undefined,
      `${service.basePath}/pets/`,
      '//v1/pets',
      '/V1/pets',
      '/v1/%70ets',
      '*',
      '/docs',
      '/nope',
    ),
    separator: mostly('&', ';', '&&'),
    headers: fc.record({
      'X-Request-Id': mostly('it', 'a b', 'x'.repeat(129), undefined),
      Authorization: mostly(
        `Bearer ${apiKey}`,
        `bearer  ${apiKey} `,
        'Bearer nobody',
        'Basic eDp5',
        undefined,
      ),
      'Content-Type': type,
      'If-None-Match': mostly(undefined, '*', 'W/"x-151"', '"a", *', ''),
      'Idempotency-Key': mostly(undefined, 'a', '"a"', 'b c', ''),
      Origin: mostly(undefined, 'https://shop.test', 'https://other.test'),
      'Content-Encoding': mostly(undefined, 'identity', 'gzip'),
    }),
  })
  .map(({ operation, identifier, pairs, body, method, path, separator, headers }) => {
    const target = path ?? service.basePath + operation.path.replace(/\{\w+\}/g, identifier);
    const query =
      operation.method === 'GET' ? pairs.map((each) => each.join('=')).join(separator) : '';
    const given = Object.entries(headers).filter(
      (header): header is [string, string] => header[1] !== undefined,
    );
    const line = `${method ?? operation.method} ${target}${query && `?${query}`}`;
    return request(line, Object.fromEntries(given), operation.body ? body : '');
  });
