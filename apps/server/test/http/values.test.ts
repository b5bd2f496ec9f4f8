import type { Schema } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import { textParser } from '../../src/http/values.ts';

describe('the text of a parameter', () => {
  test.each<[schema: Schema, text: string, value: unknown]>([
    [{ type: 'integer' }, '9007199254740991', 9007199254740991],
    [{ type: 'integer' }, '01', '01'],
    [{ type: 'integer' }, '1.0', '1.0'],
    [{ type: 'integer', format: 'int64' }, '-9223372036854775808', -9223372036854775808n],
    [{ type: 'integer', format: 'int64' }, '9223372036854775808', '9223372036854775808'],
    // The validator rejects this number, and names the bound.
    [{ type: 'integer', minimum: 1, maximum: 9 }, '9'.repeat(400), Number.MAX_VALUE],
    [{ type: 'number' }, '0.10', 0.1],
    [{ type: 'number' }, '1e308', 1e308],
    [{ type: 'number' }, '9007199254740992', 9007199254740992],
    [{ type: ['integer', 'string'] }, '9007199254740992', '9007199254740992'],
    [{ type: ['number', 'string'] }, '3e-324', '3e-324'],
  ])('%j: %s becomes %s', (schema, text, value) => {
    expect(textParser(schema)(text)).toBe(value);
  });

  test.each<[schema: Schema, text: string, problem: string]>([
    [{ type: 'integer' }, '9'.repeat(400), 'must be <= 9007199254740991'],
    [{ type: ['integer', 'null'] }, '-9007199254740993', 'must be >= -9007199254740991'],
    [{ type: 'number' }, '9007199254740993', '9007199254740993 cannot be represented exactly'],
    [{ type: 'number' }, '0.12345678901234567890', '0.12345678901234567890 cannot be represented exactly'],
    [{ type: 'number' }, '1e400', '1e400 cannot be represented exactly'],
  ])('%j: %s is rejected', (schema, text, problem) => {
    expect(() => textParser(schema)(text)).toThrow(problem);
  });
});
