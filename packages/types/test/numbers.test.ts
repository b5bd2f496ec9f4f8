import { expect, test } from 'vitest';
import { isExactNumber, isRounded, repeatedKey, roundedNumber } from '../src/index.ts';

test.each([
  ['{"a":[0.1,1.50,1e308,-0.0],"b":true}', undefined],
  ['[9007199254740993,1e400]', undefined],
  ['{"0.12345678901234567890":"3e-324 \\"3e-324"}', undefined],
  ['{"a":"x","b":[1, 0.12345678901234567890 ,3e-324]}', '0.12345678901234567890'],
  ['-3E-324', '-3E-324'],
])('the first rounded number in %s is %s', (json, number) => {
  expect(roundedNumber(json)).toBe(number);
});

test.each(['0.30000000000000004', '100e-2', '1e23', '9007199254740992', '0e999'])('%s is exact', (number) => {
  expect([isExactNumber(number), isRounded(number)]).toEqual([true, false]);
});

test('numbers from 2^53 do not count as rounded, because their size shows that they may be', () => {
  expect([isExactNumber('9007199254740993'), isRounded('9007199254740993')]).toEqual([false, false]);
});

test('a key that repeats is found, also if it is written with escapes', () => {
  expect(repeatedKey('[{"a":"{\\"a\\":1}","b":{"a":1}},{"\\u0061":1,"a":2}]')).toBe('a');
  expect(repeatedKey('[{"a":1},{"a":2}]')).toBeUndefined();
});
