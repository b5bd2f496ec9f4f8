import { expect, test } from 'vitest';
import { isDeep } from '../src/index.ts';

test('*.deep.test.ts runs in the deep mode only', () => {
  expect(isDeep).toBe(true);
});
