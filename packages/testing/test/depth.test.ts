import { expect, test } from 'vitest';
import { isDeep, rounds } from '../src/depth.ts';

test('rounds are few unless the run is deep', () => {
  expect(rounds(1, 20)).toBe(isDeep ? 20 : 1);
});
