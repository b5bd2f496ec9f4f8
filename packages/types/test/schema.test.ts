import { expect, test } from 'vitest';
import { isWide, type Schema, typeIn } from '../src/index.ts';

test.each<[Schema, ReturnType<typeof typeIn>]>([
  [{ allOf: [{ type: 'integer' }, { maximum: 10 }] }, 'integer'],
  [{ allOf: [{ maximum: 10 }, { type: 'integer' }] }, 'integer'],
  [{ allOf: [{ type: 'number' }, { type: 'integer' }] }, 'integer'],
  [{ allOf: [{ type: 'number' }, { maximum: 10 }] }, 'number'],
  [{ allOf: [{ type: ['string', 'null'] }, { maxLength: 10 }] }, 'string'],
])('%j allows only the type %s', (schema, type) => {
  expect(typeIn(schema)).toBe(type);
});

test('an int64 beside another part may be too large for an exact number', () => {
  expect(isWide({ allOf: [{ type: 'integer', format: 'int64' }, { minimum: 1 }] })).toBe(true);
  expect(isWide({ allOf: [{ type: 'integer', format: 'int64', minimum: 1, maximum: 9 }, { multipleOf: 3 }] })).toBe(
    false,
  );
});

test('an int64 that may also be a string may be too large for an exact number', () => {
  expect(isWide({ type: ['integer', 'string'], format: 'int64' })).toBe(true);
  expect(isWide({ type: ['string'], format: 'int64' })).toBe(false);
});
