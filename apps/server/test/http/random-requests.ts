import { type Operation, operations, service } from '@petstore/types';
import fc from 'fast-check';
import { request } from './wire.ts';

/** Requests for both the fast path and the Express app: most are valid, or valid except for one part. */
export function randomRequests(apiKey: string): fc.Arbitrary<Uint8Array> {
  return fc
    .record({
      operation: fc.constantFrom(...Object.values<Operation>(operations)),
      identifier: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 170 }).map(String) }, odd),
      pairs: fc.array(pair, { maxLength: 3 }),
      body: fc.oneof({ weight: 3, arbitrary: newPet.map((pet) => JSON.stringify(pet)) }, oddBody),
      method: weighted(undefined, 'HEAD', 'OPTIONS', 'POST', 'PUT', 'get'),
      path: weighted(
        (path: string) => path,
        `${service.basePath}/pets/`,
        '//v1/pets',
        '/V1/pets',
        `${service.basePath}/%70ets`,
        '*',
      ),
      separator: weighted('&', ';', '&&'),
      headers: headers(apiKey),
    })
    .map(({ operation, identifier, pairs, body, method, path, separator, headers }) => {
      const target = service.basePath + operation.path.replace(/\{\w+\}/g, identifier);
      const query = operation.method === 'GET' ? pairs.map(([name, value]) => `${name}=${value}`).join(separator) : '';
      const line = `${method ?? operation.method} ${typeof path === 'function' ? path(target) : path}${query && `?${query}`}`;
      const all = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
      return request(line, all as Record<string, string>, operation.body ? body : '');
    });
}

/** Mostly the common value, sometimes one of the others. */
function weighted<T, U>(common: T, ...others: U[]): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(common) }, fc.constantFrom(...others));
}

const odd = fc.constantFrom(
  ...['0', '-1', '01', '1e1', '1.0', '0x1', '+1', '%31', '1%20', 'abc', '', '9007199254740991', '9007199254740992'],
  ...['toString', '__proto__', '1[]', '1_', 'null', 'true', '%F0%9F', 'é', '..', '.', '1;2', "1'"],
  ...['-0', '1e400', '%D9%A3', '%00', '1%0A', '9223372036854775807', '9223372036854775808', '0000000000000000001'],
);

const fields = Object.values<Operation>(operations).flatMap((operation) => Object.entries(operation.fields));
const pair = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(...fields.filter(([, field]) => field.in === 'query'))
      .chain(([name, field]) =>
        fc.tuple(
          fc.constant(name),
          fc.oneof(
            { weight: 3, arbitrary: fc.constantFrom(...(field.schema.enum ?? [1, 2, 20, 100])).map(String) },
            fc.integer({ min: -1, max: 200 }).map(String),
            odd,
          ),
        ),
      ),
  },
  fc.tuple(fc.constantFrom('x', '__proto__', 'constructor', 'limit[]', 'Limit', 'petId', '', '%6Cimit'), odd),
);

const statuses = operations.createPet.fields.status.schema.enum;
const newPet = fc.record(
  {
    name: fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom('', 'Rex', '\u0000', '\ud800')),
    categoryId: fc.oneof({ weight: 4, arbitrary: fc.integer() }, fc.maxSafeInteger(), fc.double()),
    status: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...statuses) }, fc.constantFrom('dead', null, '')),
    id: fc.integer(),
  },
  { requiredKeys: [] },
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
    '\ufeff{"name":"x","categoryId":1}',
  ],
  ...[
    '1e2',
    '1.0',
    '-0',
    '1e999',
    '9007199254740992',
    '9007199254740993',
    '-9223372036854775808',
    '9223372036854775807',
    '9223372036854775808',
    '-9223372036854775809',
    '1e18',
    '9007199254740993.0',
    '"1"',
    'true',
    '01',
    '1E0',
    '1e400',
    '-1e400',
    '1e-400',
    '-0.0',
    '0e99999',
    '9223372036854775807.0',
    '922337203685477580.7e1',
  ].map((number) => `{"name":"x","categoryId":${number}}`),
  ...['{"name":"x","categoryId":1,"__proto__":{"status":"sold"}}', '{"name":"a","name":"b","categoryId":1}'],
  ...['{"name":"a","n\\u0061me":"b","categoryId":1}', '{"n\\u0061me":"\\u0000","categoryId":1}'],
  ...['\\ud800', '\\udc00\\ud800', '\ufeff', '\\u2028'].map((text) => `{"name":"${text}","categoryId":1}`),
  ...['9007199254740993', '1e400', '{"__proto__":1e400}'].map((other) => `{"name":"x","categoryId":1,"x":${other}}`),
  ...[
    ' {"categoryId":1 ,"status":"sold","name":"\\u00e9\\ud83d\\ude00"}\r\n',
    `{"name":"${'x'.repeat(3000)}","categoryId":1}`,
  ],
);

/** Headers, some of them rare. Headers that close the connection or require more than one response are left out. */
function headers(apiKey: string): fc.Arbitrary<Record<string, string | undefined>> {
  return fc.record({
    'X-Request-Id': weighted('it', 'a b', 'x'.repeat(129), undefined),
    Authorization: weighted(`Bearer ${apiKey}`, `bearer  ${apiKey} `, 'Bearer nobody', 'Basic eDp5', undefined),
    'Content-Type': weighted(
      'application/json',
      ...['application/json; charset=utf-8', 'APPLICATION/JSON;CHARSET="UTF-8"', 'application/json; charset=latin1'],
      ...['text/plain', 'application/json, text/plain', undefined],
    ),
    'If-Match': weighted(undefined, '*', 'W/"a", "b"', 'a', ''),
    Cookie: weighted(undefined, 'a=%ff; a=1', ';;='),
    'If-None-Match': weighted(undefined, '*', 'W/"x-151"', '"a", *', ''),
    Origin: weighted(undefined, 'https://shop.test', 'https://other.test'),
    'Content-Encoding': weighted(undefined, 'identity', 'gzip'),
    Accept: weighted(undefined, 'text/html', '*/*'),
  });
}
