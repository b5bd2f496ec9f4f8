// Exact integers: one that a double cannot hold becomes a bigint, or an error; never another integer.
import { beforeEach, describe, expect, test } from 'vitest';
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
  ['100000000000000000000', 1e20],
  ['1e23', 1e23],
  ['9007199254740993.0', 9007199254740993n],
  ['9.007199254740993e15', 9007199254740993n],
  ['99999999999999e3', 99999999999999000n],
  ['0e999999999', 0],
  ['10e-1', 1],
  ['0.0015e4', 15],
  ['0.12345678901234567890', 0.12345678901234568],
  ['123456789.12345678901', 123456789.12345679],
  ['"9007199254740993 and 1e999"', '9007199254740993 and 1e999'],
  ['[-0]', [-0]],
])('%s is parsed exactly', (text, value) => {
  expect(parseExact(text)).toEqual(value);
});

test.each([
  '9223372036854775809',
  '-9223372036854775809',
  '18446744073709551617',
  '1.0000000000000000001',
  '0.1e-400',
  '1e400',
])('%s is an error, because it would become another integer', (text) => {
  expect(() => parseExact(`{"size":${text}}`)).toThrow(InexactNumberError);
  expect(() => parseExact(`{"size":${text}}`)).toThrow(/^'size': the number /);
});

test.each([
  ['9223372036854775808', 'has more than 64 bits'],
  ['-9223372036854775809', 'has more than 64 bits'],
  ['1e400', 'has more than 64 bits'],
  ['1.0000000000000000001', 'would be rounded'],
  ['9007199254740993.5', 'would be rounded'],
])('the error for %s says that it %s', (text, problem) => {
  expect(() => parseExact(text)).toThrow(`the number ${text} ${problem}`);
});

describe('a runtime without source texts in revivers', () => {
  const { parse } = JSON;
  beforeEach(() => {
    JSON.parse = (text: string, revive?: (key: string, value: unknown) => unknown) =>
      revive ? parse(text, (key, value) => revive(key, value)) : parse(text);
    return () => {
      JSON.parse = parse;
    };
  });

  test.each([
    ['{"name":"Room 2e","id":1}', { name: 'Room 2e', id: 1 }],
    ['["0123456789012345",9007199254740991]', ['0123456789012345', 9007199254740991]],
    ['[0.12345678901234567890,1e3]', [0.12345678901234568, 1000]],
  ])('parses %s like any other', (text, value) => {
    expect(parseExact(text)).toEqual(value);
  });

  test('does not round a larger integer, but throws an error that names it', () => {
    const parsing = () => parseExact('[{"categoryId":9007199254740993}]');
    expect(parsing).toThrow(InexactNumberError);
    expect(parsing).toThrow("'categoryId': the number 9007199254740992 would be rounded");
  });
});

test('a runtime that cannot write large integers writes small bigints', () => {
  const runtime = JSON as { rawJSON?: unknown };
  const { rawJSON } = runtime;
  runtime.rawJSON = undefined;
  try {
    expect(exactJson({ n: 5n })).toBe('{"n":5}');
    expect(() => exactJson({ n: 2n ** 60n })).toThrow(
      'the number 1152921504606846976 would be rounded',
    );
  } finally {
    runtime.rawJSON = rawJSON;
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
    ['0.12345678901234567891', 'number', 0.12345678901234568],
    ['1e400', 'number', undefined],
    ['9223372036854775808', 'integer', undefined],
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
