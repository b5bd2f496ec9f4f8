import { expect, test } from 'vitest';
import { freePort } from '../src/postgres/port.ts';

test('a free port is none of those that the system hands out', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()));
  expect(Math.max(...ports)).toBeLessThan(32_768);
});
