// Exact numbers (S3, C5): what a double cannot hold becomes a bigint, or an error; never another number.
import { describe, expect, test } from 'vitest';
import {
  exactJson,
  InexactNumberError,
  parseExact,
  parseScalar,
  repeatedKey,
} from '../src/index.ts';

test.each([
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', 9007199254740993n],
  ['-9223372036854775808', -9223372036854775808n],
  ['9223372036854775807', 9223372036854775807n],
  ['0.1', 0.1],
  ['0.30000000000000004', 0.30000000000000004],
  ['1.0000000000000000', 1],
  ['1e3', 1000],
  ['1.5E300', 1.5e300],
  ['100000000000000000000000', 1e23],
  ['"9007199254740993 and 1e999"', '9007199254740993 and 1e999'],
  ['[-0]', [-0]],
])('%s is parsed exactly', (text, value) => {
  expect(parseExact(text)).toEqual(value);
});

test.each([
  '9223372036854775809',
  '-9223372036854775809',
  '0.12345678901234567891',
  '1.0000000000000000001',
  '1e400',
  '123456789.12345678901',
])('%s is an error, because a double would round it', (text) => {
  expect(() => parseExact(`{"size":${text}}`)).toThrow(InexactNumberError);
  expect(() => parseExact(`{"size":${text}}`)).toThrow(/^'size': the number /);
});

test('a runtime without source texts does not round, but throws', () => {
  const { parse } = JSON;
  const withoutSource = (text: string, revive?: (key: string, value: unknown) => unknown) =>
    revive ? parse(text, (key, value) => revive(key, value)) : parse(text);
  JSON.parse = withoutSource;
  try {
    expect(() => parseExact('9007199254740993')).toThrow(InexactNumberError);
    expect(parseExact('{"n":12}')).toEqual({ n: 12 });
  } finally {
    JSON.parse = parse;
  }
});

test('a bigint is written with all its digits, also where programs define BigInt.prototype.toJSON', () => {
  const value = { n: 9223372036854775807n, list: [1n] };
  expect(exactJson(value)).toBe('{"n":9223372036854775807,"list":[1]}');
  const prototype = BigInt.prototype as { toJSON?: () => string };
  prototype.toJSON = () => 'text';
  try {
    expect(exactJson(value)).toBe('{"n":9223372036854775807,"list":[1]}');
  } finally {
    delete prototype.toJSON;
  }
});

describe('the text of a parameter', () => {
  test.each([
    ['12', 'integer', 12],
    ['9223372036854775807', 'integer', 9223372036854775807n],
    ['012', 'integer', undefined],
    ['1.0', 'integer', undefined],
    ['1e3', 'integer', undefined],
    ['+1', 'integer', undefined],
    ['1.50', 'number', 1.5],
    ['0.12345678901234567891', 'number', undefined],
    ['true', 'boolean', true],
    ['yes', 'boolean', undefined],
  ])('%s as %s is %s', (text, type, value) => {
    expect(parseScalar(text, type)).toBe(value);
  });
});

test.each([
  ['{"a":1,"a":2}', 'a'],
  [String.raw`{"a":1,"\u0061":2}`, 'a'],
  ['[{"a":1},{"a":2,"b":{"a":3}}]', undefined],
  [String.raw`{"a\"":1,"a":"\\\":{"}`, undefined],
])('the repeated member of %s is %s', (json, key) => {
  expect(repeatedKey(json)).toBe(key);
});
