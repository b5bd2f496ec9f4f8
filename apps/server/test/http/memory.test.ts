import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Listening, listen } from '../listen.ts';

let server: Listening;
beforeAll(async () => {
  server = await listen();
});
afterAll(() => server.close());

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function held(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

test('a thousand content types are not kept', async () => {
  const call = async (type: string) => {
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? { body: '{}' } : {};
      const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': type };
      await (await fetch(`${server.baseUrl}/pets`, { method, headers, ...body })).text();
    }
  };
  for (let i = 0; i < 200; i++) await call(`application/warm-${i}`);
  const before = held();
  for (let i = 0; i < 1000; i++) await call(`application/x-${i}; charset=utf-8`);
  // The validator would keep over twelve megabytes.
  expect((held() - before) / 2 ** 20).toBeLessThan(4);
});
