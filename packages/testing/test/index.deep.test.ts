import { expect, test } from 'vitest';
import { isDeep } from '../src/index.ts';

test('files of this name run in the deep mode only', () => {
  expect(isDeep).toBe(true);
});
