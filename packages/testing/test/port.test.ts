import { expect, test } from 'vitest';
import { freePort } from '../src/postgres/port.ts';

test('a free port is outside the ephemeral range', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()));
  expect(Math.max(...ports)).toBeLessThan(32_768);
});
