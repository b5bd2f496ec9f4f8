import { expectLinear, leastCpuTime } from '@petstore/testing/linear';
import type { Schema } from '@petstore/types';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HttpError } from '../../src/http/http-error.ts';
import { parseJson } from '../../src/http/json.ts';
import { MAX_JSON_DEPTH, MAX_JSON_MEMBERS } from '../../src/limits.ts';

const parse = (text: string) => parseJson(Buffer.from(text));
const errorOf = (text: string): string => {
  try {
    return `no error: ${JSON.stringify(parse(text))}`;
  } catch (error) {
    if (error instanceof HttpError) return error.message;
    throw error;
  }
};

test.each([
  '{"a":1,"b":[true,false,null,{"a":1}],"c":{"a":{"a":{}}}}',
  '"\\ud83d\\ude00"',
  '[]',
  '{}',
  ' 1 ',
  '-0',
  '1e2',
  '1.0',
  '9007199254740991',
  '-9007199254740991',
  '9007199254740992',
  '1180591620717411303424',
  '1e22',
  '0.5',
  '0e99999',
  '100e-2',
  '1e23',
  '9.99e21',
  '-4e22',
  '0.00012e26',
  '1e308',
  '1.7976931348623157e308',
  '179769313486231570E+291',
  '1.2345678901234567e20',
  '123456789012345670000',
  '1180591620717411303424.0',
  '0.30000000000000004',
  '0.100000000000000000000',
  '0.1e0',
  '5e-324',
  '0.12345678901234568',
  '-0.0',
  '{"\\"":1,"\\\\":2,"__proto__":3}',
  '{"a":"{\\"a\\":1,\\"a\\":2}","b":"]"}',
  '[{"a":1},{"a":2}]',
  '"e-+."',
])('%s is parsed as by JSON.parse', (text) => {
  expect(parse(text)).toEqual(JSON.parse(text));
});

test.each([
  ['{"a":1,"a":2}', "body 'a': it appears more than once"],
  ['{"a":1,"b":2,"a":1}', "body 'a': it appears more than once"],
  ['{"a":{"b":[{"c":1,"c":1}]}}', "body 'c': it appears more than once"],
  ['{"a":1,"\\u0061":2}', "body 'a': it appears more than once"],
  ['{"__proto__":1,"__proto__":2}', "body '__proto__': it appears more than once"],
  ['{"":1,"":2}', "body '': it appears more than once"],
  ['{"a":{"b":1},"c":[{}],"a":2}', "body 'a': it appears more than once"],
  ['{"a":"\\ud800"}', "body 'a': it is not well-formed Unicode"],
  ['["\\udc00\\ud800"]', 'body: it is not well-formed Unicode'],
  ['{"\\ud800":1}', 'body: it is not well-formed Unicode'],
  ['{"n":9007199254740993}', "body 'n': 9007199254740993 cannot be represented exactly"],
  ['{"n":[-9007199254740993]}', "body 'n': -9007199254740993 cannot be represented exactly"],
  ['1.00000000000000000001', 'body: 1.00000000000000000001 cannot be represented exactly'],
  ['9007199254740990.5', 'body: 9007199254740990.5 cannot be represented exactly'],
  ['0.12345678901234567890', 'body: 0.12345678901234567890 cannot be represented exactly'],
  ['{"n":[0.1000000000000000000001]}', "body 'n': 0.1000000000000000000001 cannot be represented exactly"],
  ['3e-324', 'body: 3e-324 cannot be represented exactly'],
  ['1e-400', 'body: 1e-400 cannot be represented exactly'],
  ['1e309', 'body: 1e309 cannot be represented exactly'],
  ['9007199254740993.0', 'body: 9007199254740993.0 cannot be represented exactly'],
  ['123456789012345670001', 'body: 123456789012345670001 cannot be represented exactly'],
  ['{"n":[-1e400]}', "body 'n': -1e400 cannot be represented exactly"],
  ['9'.repeat(400), `body: ${'9'.repeat(40)} cannot be represented exactly`],
  ['{"a":1', 'body: it is not JSON'],
  ['{a:1}', 'body: it is not JSON'],
])('%s is rejected', (text, message) => {
  expect(errorOf(text)).toBe(message);
});

describe('an int64 without bounds', () => {
  const wide = { type: 'integer', format: 'int64' } as const;
  const schema: Schema = {
    type: 'object',
    properties: {
      n: wide,
      list: { type: 'array', items: { oneOf: [{ type: 'string' }, wide] } },
      small: { type: 'integer', format: 'int64', minimum: 0, maximum: 9007199254740991 },
      any: {},
    },
    additionalProperties: { allOf: [{ properties: { n: wide } }] },
  };
  const parse = (text: string) => parseJson(Buffer.from(text), schema);

  test.each<[string, unknown]>([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9007199254740993.000', 9007199254740993n],
    ['9.007199254740993e15', 9007199254740993n],
    ['1.2345678901234568e18', 1234567890123456800n],
    ['1e18', 10n ** 18n],
    ['1.0', 1],
    ['1e3', 1000],
  ])('is exact: %s', (text, value) => {
    expect(parse(`{"n":${text}}`)).toEqual({ n: value });
    expect(parse(`{"list":["a",${text}],"other":{"n":${text}}}`)).toEqual({ list: ['a', value], other: { n: value } });
  });

  test.each<Schema>([
    { oneOf: [{ properties: { n: { type: 'integer', format: 'int32' } } }, { properties: { n: wide } }] },
    { anyOf: [{ properties: { n: { type: 'string' } } }, { allOf: [{ properties: { n: wide } }] }] },
    { properties: { n: { minimum: 1 } }, oneOf: [{ properties: { n: wide } }] },
    { allOf: [{ properties: { n: wide } }, { properties: { n: { minimum: 1 } } }] },
    { anyOf: [{ properties: { n: { minimum: 1 } } }, { additionalProperties: wide }] },
  ])('is exact if any alternative declares it: %j', (alternatives) => {
    const parseBy = (json: string, of: Schema) => parseJson(Buffer.from(json), of);
    expect(parseBy('{"n":9007199254740993}', alternatives)).toEqual({ n: 9007199254740993n });
    const lists: Schema = { anyOf: [{ items: { properties: { n: {} } } }, { items: alternatives }] };
    expect(parseBy('[{"n":9007199254740993}]', lists)).toEqual([{ n: 9007199254740993n }]);
  });

  test.each(['small', 'any', 'o":{"a'])('is no reason to accept large integers elsewhere: at %s', (key) => {
    const inner = key.slice(key.lastIndexOf('"') + 1);
    const close = '}'.repeat(key.split('{').length);
    expect(() => parse(`{"${key}":9007199254740993${close}`)).toThrow(
      `body '${inner}': 9007199254740993 cannot be represented exactly`,
    );
    expect(parse(`{"${key}":9007199254740992${close}`)).toEqual(JSON.parse(`{"${key}":9007199254740992${close}`));
  });

  test.each(['9223372036854775809', '-9223372036854775809', '9007199254740992.5'])(
    'is limited to 64 bits: %s',
    (text) => {
      expect(() => parse(`{"n":${text}}`)).toThrow(`body 'n': ${text} cannot be represented exactly`);
    },
  );
});

describe('a number is accepted if its double, or the shortest text of its double, has exactly its value:', () => {
  /** A decimal number as a fraction of large integers. */
  const fractionOf = (text: string): [numerator: bigint, denominator: bigint] => {
    const [, sign, whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(text) ?? [];
    const power = Number(exponent) - fraction.length;
    const digits = BigInt(`${sign}${whole}${fraction}`);
    return power < 0 ? [digits, 10n ** BigInt(-power)] : [digits * 10n ** BigInt(power), 1n];
  };
  const isEqual = (a: string, b: string) => {
    const [[a1, a2], [b1, b2]] = [fractionOf(a), fractionOf(b)];
    return a1 * b2 === b1 * a2;
  };
  const isExact = (text: string) => {
    const value = Number(text);
    if (!Number.isFinite(value)) return false;
    return isEqual(text, String(value)) || (Number.isInteger(value) && isEqual(text, `${BigInt(value)}`));
  };
  const double = fc.double({ noNaN: true, noDefaultInfinity: true });
  const texts = fc.oneof(
    double.map(String),
    double.map((value) => value.toExponential()),
    fc.tuple(double, fc.nat(99)).map(([value, digits]) => value.toPrecision(digits + 1)),
    fc.tuple(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), fc.nat(40)).map(([value, n]) => value.toFixed(n)),
    fc.stringMatching(/^-?(0|[1-9]\d{0,25})(\.\d{1,25})?([eE][+-]?\d{1,3})?$/),
  );
  test.each(['%s', '[%s]', '{"n": %s}'])('%s', (format) => {
    fc.assert(
      fc.property(texts, (number) => {
        const text = format.replace('%s', number);
        const read = JSON.stringify(JSON.parse(text));
        expect(errorOf(text) === `no error: ${read}`).toBe(isExact(number));
        // What the server writes, it accepts.
        if (isExact(number)) expect(errorOf(read)).toBe(`no error: ${read}`);
      }),
      { numRuns: 1_000 },
    );
  });
});

test('the maximal depth and number of members are accepted, one more is rejected', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  const wide = (members: number) => `{${Array.from({ length: members }, (_, i) => `"k{[:${i}":{"a":":\\":"}`)}}`;
  expect(parse(nested(MAX_JSON_DEPTH))).toEqual(JSON.parse(nested(MAX_JSON_DEPTH)));
  expect(parse(wide(MAX_JSON_MEMBERS))).toEqual(JSON.parse(wide(MAX_JSON_MEMBERS)));
  expect(errorOf(nested(MAX_JSON_DEPTH + 1))).toBe(`body: it is nested more than ${MAX_JSON_DEPTH} deep`);
  expect(errorOf(wide(MAX_JSON_MEMBERS + 1))).toBe(
    `body: it has an object with more than ${MAX_JSON_MEMBERS} properties`,
  );
});

test('very deep text, or text with very many members, costs little more than other text of its length', () => {
  const length = 2 ** 20;
  const costOf = (text: string) => leastCpuTime(() => errorOf(text));
  const plain = costOf(`"${'a'.repeat(length)}`);
  for (const text of [
    '['.repeat(length / 2) + ']'.repeat(length / 2),
    '{"a":'.repeat(length / 5),
    `{${Array.from({ length: length / 12 }, (_, i) => `"k${i}":1`)}}`,
  ]) {
    expect(costOf(text)).toBeLessThan(plain * 4);
  }
});

test('invalid UTF-8 is rejected', () => {
  expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow('body: it is not UTF-8');
});

describe('the work is linear in the length of the body:', () => {
  test.each<[string, (length: number) => string]>([
    ['zeros in a fraction', (n) => `{"name":"a","categoryId":1.${'0'.repeat(n)}1}`],
    ['zeros before a fraction', (n) => `{"n":1${'0'.repeat(n)}.5}`],
    ['zeros in runs', (n) => `{"n":0.${'0001000'.repeat(n / 7)}}`],
    ['nines', (n) => `{"n":${'9'.repeat(n)}}`],
    ['an exponent', (n) => `{"n":1e${'0'.repeat(n)}1}`],
    ['numbers', (n) => `[${'1e22,'.repeat(n / 5)}1]`],
    ['an integer with a negative exponent', (n) => `[1${'0'.repeat(n)}e-${n}]`],
    ['zeros behind a fraction', (n) => `[0.1${'0'.repeat(n)}]`],
    ['fractions', (n) => `[${'0.30000000000000004,'.repeat(n / 20)}1]`],
    ['the largest numbers', (n) => `[${'1.79769313486231570e308,'.repeat(n / 24)}1]`],
    ['integers of 64 bits', (n) => `{"list":[${'9007199254740993,'.repeat(n / 17)}1]}`],
    ['large integers', (n) => `[${'1180591620717411303424,'.repeat(n / 23)}1]`],
    ['keys', (n) => `{${Array.from({ length: n / 12 }, (_, i) => `"k${i}":1`)}}`],
    ['escaped keys', (n) => `{${Array.from({ length: n / 18 }, (_, i) => `"\\u0061${i}":1`)}}`],
    ['arrays in arrays', (n) => '['.repeat(n / 2) + ']'.repeat(n / 2)],
    ['objects in objects', (n) => `${'{"a":'.repeat(n / 6)}1${'}'.repeat(n / 6)}`],
    ['escapes', (n) => `"${'\\\\'.repeat(n / 2)}"`],
    ['surrogates', (n) => `"${'\\ud83d\\ude00'.repeat(n / 12)}"`],
    ['strings', (n) => `[${'"a",'.repeat(n / 4)}"a"]`],
    ['escaped strings', (n) => `[${'"\\n",'.repeat(n / 5)}"a"]`],
    ['quotes that never end', (n) => `"${'a'.repeat(n)}`],
    ['spaces', (n) => `${' '.repeat(n)}1`],
  ])('%s', (_, text) => {
    expectLinear((n) => {
      const bytes = Buffer.from(text(n));
      return () => {
        try {
          parseJson(bytes, { properties: { list: { items: { type: 'integer', format: 'int64' } } } });
        } catch (error) {
          if (!(error instanceof HttpError)) throw error;
        }
      };
    });
  });
});
